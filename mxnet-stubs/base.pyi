"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.base import *
from gluonic.base import (
    NotSupportedForSparseNDArray as NotSupportedForSparseNDArray,
    build_param_doc as build_param_doc,
    classproperty as classproperty,
    data_dir as data_dir,
    data_dir_default as data_dir_default,
    py_str as py_str,
    register_error as register_error,
    with_metaclass as with_metaclass,
)
from gluonic.graph.errors import *
from gluonic.symbol.unsupported import *
from gluonic.c_api.values import *
from gluonic.c_api.library import *
