"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.text.counting import *
from gluonic.contrib.text.counting import (
    count_tokens_from_str as count_tokens_from_str,
)
