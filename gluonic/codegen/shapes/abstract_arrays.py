"""Abstract arrays: a shape and a dtype to compile for, without elements."""

from gluonic.codegen.maths.values import Dtype
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class AbstractArray:
    """The shape and the dtype of an array whose elements are not known."""

    shape: Shape
    dtype: Dtype
