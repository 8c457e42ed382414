"""Abstract arrays: a shape and a dtype to compile for, without elements."""

from gluonic.codegen.maths.values import Dtype
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class AbstractArray:
    """What is known of an array without having it."""

    shape: Shape
    dtype: Dtype
