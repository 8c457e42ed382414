"""``mx.image``: not there. The module exists so that programs that may never read an image can import it."""

from typing import NoReturn

from gluonic.graph.errors import NotThereError


def __getattr__(name: str) -> NoReturn:
    raise NotThereError(
        f"mx.image.{name}: gluonic decodes no images; nd.image resizes, crops and normalizes arrays"
    )
