"""Whether a graph that was compiled for some shapes is right for others that come later."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.shapes.facts import DynamicShapeError
from gluonic.graph.errors import MXNetError
from tests.codegen.agreement import (
    Array,
    assert_alike,
    check_refusal,
    interpreter_of,
    new_run,
    slack_around,
)
from tests.codegen.growing import MOST_ELEMENTS, RandomGraph, Shape

Change = tuple[bool, tuple[int, ...]]
CHANGE: st.SearchStrategy[Change] = st.tuples(
    st.booleans(), st.lists(st.integers(0, 5), min_size=4, max_size=8).map(tuple)
)
"""For a further call: whether equal extents stay equal, and numbers that determine the new extents."""
CHANGES: st.SearchStrategy[list[Change]] = st.lists(CHANGE, min_size=2, max_size=5)
TEN_CHANGES: st.SearchStrategy[list[Change]] = st.lists(CHANGE, min_size=10, max_size=10)

_BECOMES = (lambda n: n, lambda n: n, lambda n: 1, lambda n: n + 1, lambda n: 2 * n, lambda n: n)


def changed(shapes: Sequence[Shape], change: Change) -> list[Shape]:
    """The shapes of the variables for another call."""
    together, numbers = change
    made, index = [], 0
    for shape in shapes:
        extents = []
        for extent in shape:
            choice = numbers[(extent if together else index) % len(numbers)]
            extents.append(_BECOMES[choice](extent))
            index += 1
        made.append(tuple(extents))
    return made


def _resized(array: Array, shape: Shape) -> Array:
    """The numbers of an array, repeated as often as another shape needs them."""
    return np.resize(array, shape) if array.size else np.ones(shape, array.dtype)


def check_other_shapes(
    random: RandomGraph, changes: Sequence[Change], varying: Sequence[int] | None = None
) -> None:
    """Call one compiled graph with arrays of other and other shapes; compare with the interpreter.

    Parameters
    ----------
    changes : what becomes of the shapes, call by call
    varying : the positions of the variables whose shapes change; by default those of all do
    """
    compiled = CompiledGraph(random.graph, random.variables)
    compute = interpreter_of(random.graph, random.variables, random.train)
    shapes = [a.shape for a in random.arrays]
    chosen = {*range(len(shapes))} if varying is None else {*varying}
    unchanged = (True, (0,))
    for change in (unchanged, *changes, unchanged):
        others = changed(shapes, change)
        wanted = [others[i] if i in chosen else shape for i, shape in enumerate(shapes)]
        if max((np.prod(s, dtype=int) for s in wanted), default=0) > 4 * MOST_ELEMENTS:
            continue
        arrays = [_resized(a, s) for a, s in zip(random.arrays, wanted, strict=True)]
        try:
            found = _called(compiled, arrays, random.train)
        except DynamicShapeError:
            check_refusal(random, random.arrays)
            return
        except MXNetError:  # shapes that do not go together
            assert wanted != shapes
            with pytest.raises(MXNetError):
                compute([a.copy() for a in arrays])
            continue
        except BailOut:  # indices beyond them: the interpreter is asked what to do
            assert wanted != shapes
            continue
        expected = compute([a.copy() for a in arrays])
        slack = slack_around(compute, arrays)
        assert_alike(found, expected, f"with shapes {wanted}", arrays, slack)


def _called(compiled: CompiledGraph, arrays: Sequence[Array], train: bool) -> list[Array]:
    """The results of a call, of which guards alone have decided which machine code made them."""
    before = [*compiled.specializations]
    right = [known for known, _ in compiled.right_for(arrays, train)]
    found = compiled([a.copy() for a in arrays], new_run(train))
    chosen = compiled.binding(arrays, train).specialization
    assert (chosen in right) if right else (chosen not in before)
    return found
