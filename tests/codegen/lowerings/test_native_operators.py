"""Every operator runs as machine code, or its entry gives the reason, shown by explain and in docs/."""

import numpy as np
import pytest

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.inspection.step_report import StepReport
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.shapes.facts import DynamicShapeError
from gluonic.graph.node import Graph, Node
from gluonic.graph.operator import REGISTRY
from tests.codegen.lowerings.native_page import PAGE, page
from tests.codegen.native_operators import in_python
from tests.graph.registry_samples import SAMPLES, application_of, cast, run_of
from tests.graph.samples.sample import Sample

NOT_ALONE = {"Dropout", "RNN", "_contrib_SyncBatchNorm", "_polygamma"}
"""Operators that Python runs in gradients alone, or where hidden outputs are read (test_compiled_graphs.py), or
on several ranks (tests/distributed/test_statistics.py)."""


def steps_in_python(name: str, sample: Sample) -> list[StepReport]:
    """The steps of an operator's compiled graph that Python runs."""
    application = application_of(name, sample)
    variables = [Node(None, name) for name in application.inputs]
    node = Node(application, "node", [v.entry() for v in variables])
    compiled = CompiledGraph(Graph([node.entry(i) for i in range(node.visible_count)]), variables)
    dtype = "float32" if "float32" in sample.dtypes else None
    with np.errstate(all="ignore"):
        compiled(cast(sample, dtype), run_of(sample))
    return in_python(compiled, cast(sample, dtype))


@pytest.mark.parametrize("name", [name for name in SAMPLES if not REGISTRY[name].dynamic])
def test_an_operator_is_machine_code_or_its_entry_gives_a_reason(name: str) -> None:
    reason, found = lowering_of(REGISTRY[name]).python, []
    for sample in SAMPLES[name]:
        try:
            found += steps_in_python(name, sample)
        except DynamicShapeError:  # a size of zero, which MXNet calls unknown
            assert any(0 in array.shape for array in sample.inputs) or not sample.inputs
    is_listed = bool(reason) and name not in NOT_ALONE
    assert bool(found) == is_listed, found
    assert all(reason in step.reason for step in found)


def test_a_reason_is_a_sentence_without_a_full_stop() -> None:
    reasons = {lowering_of(op).python for op in REGISTRY.operators()} - {""}
    assert not [reason for reason in reasons if reason.endswith(".") or len(reason.split()) < 2]


def test_the_list_in_docs_is_current() -> None:
    assert PAGE.read_text() == page(), "python -m tests.codegen.lowerings.native_page"
