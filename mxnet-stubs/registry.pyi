"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.registry import *
from gluonic.registry import (
    get_alias_func as get_alias_func,
    get_create_func as get_create_func,
    get_register_func as get_register_func,
    get_registry as get_registry,
)
