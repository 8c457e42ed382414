"""Samples of NumPy's functions of one and two numbers: those of their bases, and some of their own."""

import numpy as np

from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.ops.numpy import ufuncs
from tests.graph.samples import binary, copying, unary
from tests.graph.samples.sample import Sample, uniform

KNOWN = {**unary.SAMPLES, **binary.SAMPLES, **copying.SAMPLES}
FLOATING = ("float32", "float16")
MIXED = [np.array([[1.5, 2.0, 3.0]]), np.array([[1], [2]], "int32")]


def _samples(op: Operator) -> list[Sample]:
    assert op.base is not None
    first, *_ = KNOWN[op.base.name]
    takes_truth = op.dtype is not op.base.dtype and op.inputs == ("data",)
    dtypes = (
        (*first.dtypes, "bool") if takes_truth and "scalar" not in op.attributes else first.dtypes
    )
    found = [Sample(first.inputs, first.attributes, first.differentiable, dtypes)]
    without_axes = [np.array(array.reshape(-1)[0]) for array in first.inputs]
    found.append(Sample(without_axes, first.attributes, first.differentiable, FLOATING))
    if op.casts and len(op.inputs) == 2:
        found.append(Sample(MIXED, {}, () if "mod" in op.name else None, FLOATING))
        found.append(Sample([uniform(0, 3), uniform(3, low=1, high=2)]))
    return found


DERIVED = [op for op in REGISTRY.operators() if op.name in ufuncs.NAMES]
SAMPLES = {op.name: _samples(op) for op in DERIVED}
