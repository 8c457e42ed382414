"""Every operator gives the same results on a GPU as on the host: all samples of all operators."""

from gluonic.codegen import operator_on_device
from gluonic.graph import Node
from gluonic.graph.draws import draws
from tests.codegen.cuda.devices import assert_near, emulated, moved
from tests.graph.registry_samples import (
    SAMPLES,
    application_of,
    cast,
    dtypes_in_turn,
    every_sample,
    run,
    run_of,
)


@every_sample
def test_operators_compute_on_a_device_what_they_compute_on_the_host(
    name: str, number: int, thorough: bool
) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    node = Node(application, name, [Node(None, each).entry() for each in application.inputs])
    for dtype in dtypes_in_turn(number, sample.dtypes, thorough):
        expected = run(application, cast(sample, dtype), sample)
        given = cast(sample, dtype)
        arrays = moved(given)
        found = operator_on_device(application)(arrays, run_of(sample), emulated())
        for ours, theirs in zip(found, expected, strict=True):
            if draws(node, sample.train):  # a device has a generator of its own
                assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            elif not theirs.dtype.hasobject:
                assert_near(ours.to_host(), theirs, given)
