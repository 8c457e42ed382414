"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.operator import *
from gluonic.operator import (
    NDArrayOp as NDArrayOp,
    NumpyOp as NumpyOp,
    PythonOp as PythonOp,
    get_all_registered_operators as get_all_registered_operators,
)
from gluonic.ndarray.custom import *
from gluonic.ndarray.custom import (
    CustomOp as CustomOp,
    CustomOpProp as CustomOpProp,
    register as register,
    registered_names as registered_names,
)
from gluonic.graph.argument_types import *
