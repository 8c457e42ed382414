"""Pictures for errors, from the drawing room a floor above; imported on first use."""

from gluonic.support.lazy_import import import_later

__getattr__, __dir__ = import_later(
    __name__,
    {
        "drawing_of_failure": "gluonic.drawing.failure:drawing_of_failure",
        "write_if_asked": "gluonic.drawing.failure:write_if_asked",
    },
)
