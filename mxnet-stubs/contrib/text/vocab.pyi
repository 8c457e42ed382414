"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.text.vocab import *
from gluonic.contrib.text.vocab import (
    Vocabulary as Vocabulary,
)
