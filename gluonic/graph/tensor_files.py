"""The package `safetensors`, imported when a file is read or written.

It checks sizes before it allocates, is audited and fuzzed, and knows all dtypes.
"""

from types import ModuleType

from gluonic.graph.errors import MissingModuleError, describe
from gluonic.support.extras import how_to_install


def safetensors() -> ModuleType:
    """Import it.

    Raises
    ------
    MissingModuleError
        an ImportError, if it is not installed
    """
    try:
        import safetensors
        import safetensors.numpy
    except ImportError as error:
        raise MissingModuleError(
            describe(
                "files that end with .safetensors need safetensors",
                hint=how_to_install("safetensors"),
            )
        ) from error
    return safetensors
