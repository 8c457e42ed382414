"""A rule by which random graphs grow: any operator of the registry, as its samples use it."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from gluonic.graph.operator import REGISTRY
from tests.codegen.growing import Draw, Growing, Value
from tests.graph.registry_samples import SAMPLES
from tests.graph.samples.sample import Sample

Array = np.ndarray[Any, Any]


def _jumps(sample: Sample) -> bool:
    """Whether what is returned need not change little where the inputs change little."""
    return sample.differentiable == ()


def _usable(name: str, sample: Sample) -> bool:
    op = REGISTRY[name]
    if op.run_name is not None or op.dynamic or name.startswith("_linalg_"):
        return False
    return not op.states and "_update" not in name and name not in ("reset_arrays", "_copyto")


CASES = sorted(
    (name, i)
    for name, found in SAMPLES.items()
    for i, sample in enumerate(found)
    if _usable(name, sample)
)


def _fitted(g: Growing, x: Value, wanted: Array) -> Value:
    """The elements of a result, as many as are wanted, in the wanted shape."""
    (flat,) = g.node("Reshape", x, shape=(-1,), exact=True)
    times = -(-wanted.size // x.array.size)
    if times > 1:
        (flat,) = g.node("tile", flat, reps=(times,), exact=True)
    (part,) = g.node("slice_axis", flat, axis=0, begin=0, end=wanted.size, exact=True)
    return g.node("Reshape", part, shape=wanted.shape, exact=True)[0]


def sampled(draw: Draw, g: Growing, x: Value) -> None:
    """An operator on its sample's inputs, one of them replaced by a result of this graph."""
    name, number = draw(st.sampled_from(CASES))
    sample = SAMPLES[name][number]
    dtype = draw(st.sampled_from(("float64", *(d for d in sample.dtypes if d.startswith("float")))))
    given = [
        g.given(a.astype(dtype) if a.dtype == np.float64 else a.copy(), listed=False)
        for a in sample.inputs
    ]
    roomy = [
        i
        for i, a in enumerate(sample.inputs)
        if a.dtype == np.float64 and a.size and -1 <= a.min() < -0.1 and a.max() <= 1 and a.ndim
    ]
    if roomy and not _jumps(sample) and x.dtype == dtype and x.array.size and x.shape:
        index = draw(st.sampled_from(roomy))
        (squashed,) = g.node("tanh", x)
        given[index] = _fitted(g, squashed, sample.inputs[index])
    op = REGISTRY[name]
    attributes = dict(sample.attributes)
    if op.count is not None:
        attributes.setdefault(op.count, len(sample.inputs) - len(op.inputs))
    g.add(name, *given, exact=False, **attributes)


RULES = (sampled,)
