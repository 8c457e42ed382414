"""The machine code of a library for some batch sizes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.codegen.launch.arguments import Integers
from gluonic.codegen.library.extents import served
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import ShapeEnv
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class Variant:
    """Machine code for some batch sizes, and what its calls need as expressions of the size.

    Attributes
    ----------
    spec : the machine code
    facts : the shapes and dtypes for one of the sizes
    size : that size
    env : the guards, and what the expressions consist of
    only : whether it serves no other size; then there are no expressions
    table : the contents of the table of run-time numbers
    sizes : the bytes of all buffers
    inputs, results : the shapes of all inputs and of the computed results
    """

    spec: Specialization
    facts: Facts
    size: int
    env: ShapeEnv
    only: bool
    table: list[Any]
    sizes: list[Any]
    inputs: list[Shape]
    results: list[Shape]

    def served(self, sizes: Integers) -> npt.NDArray[np.bool_]:
        """Which batch sizes it serves."""
        return sizes == self.size if self.only else served(self.env, sizes)
