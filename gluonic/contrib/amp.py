"""``mx.contrib.amp``: not there. Libraries import it to ask whether it has been switched on."""

import sys
from typing import NoReturn

from gluonic.graph.errors import NotThereError

amp = sys.modules[__name__]
_amp_initialized = False


def __getattr__(name: str) -> NoReturn:
    raise NotThereError(f"mx.contrib.amp.{name}: nets are cast whole here: net.cast('float16')")
