"""Pictures, which are drawn a floor above, for errors that offer them; imported when one is asked for."""

from gluonic.support.lazy_import import import_later

__getattr__, __dir__ = import_later(
    __name__,
    {
        "drawing_of_failure": "gluonic.drawing.failure:drawing_of_failure",
        "write_if_asked": "gluonic.drawing.failure:write_if_asked",
    },
)
