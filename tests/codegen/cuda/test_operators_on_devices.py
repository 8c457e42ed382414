"""Every operator gives the same results on a GPU as on the host: all samples of all operators."""

from gluonic.codegen import device_outputs
from tests.codegen.cuda.devices import assert_near, emulated, moved
from tests.graph.registry_samples import SAMPLES, application_of, cast, every_sample, run, run_of


@every_sample
def test_operators_compute_on_a_device_what_they_compute_on_the_host(
    name: str, number: int
) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    for dtype in sample.dtypes:
        expected = run(application, cast(sample, dtype), sample)
        given = cast(sample, dtype)
        arrays = moved(given)
        found = device_outputs(application, arrays, run_of(sample), emulated())
        for ours, theirs in zip(found, expected, strict=True):
            if not theirs.dtype.hasobject:
                assert_near(ours.to_host(), theirs, given)
