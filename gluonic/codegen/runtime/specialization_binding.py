"""The binding of a specialization for shapes that have been inferred."""

from gluonic.codegen.launch.arguments import launch_arguments
from gluonic.codegen.launch.launches import Launches
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import ShapeEnv


def bind(specialization: Specialization, facts: Facts) -> Binding:
    """The binding for one set of shapes."""
    spec = specialization
    arguments = launch_arguments(spec.launch, facts)
    launch = Launches(arguments, spec.table, spec.buffers, ShapeEnv()).at()
    assert launch is not None
    shapes = [facts.shapes.get(entry) for entry in spec.input_entries]
    signature = tuple(zip(shapes, spec.input_dtypes, strict=True))
    return Binding(spec.executable, launch, signature, lambda: (spec, facts))
