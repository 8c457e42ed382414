"""The states of row_sparse weights are saved and loaded, as in MXNet."""

import base64
import io
import pickle
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError, MismatchError
from gluonic.ndarray.serialization import dump_array
from gluonic.optimizer.states import dump, load
from tests.measured import sparse_states
from tests.measured.measure import agrees, numbers, read

MEASURED = read("sparse_states")


def kinds(state: Any) -> list[str]:
    return [one.stype for one in (state if isinstance(state, tuple) else [state])]


@pytest.mark.parametrize("case", MEASURED)
@pytest.mark.parametrize("kind", ["states", "with optimizer"])
def test_training_begun_in_mxnet_goes_on(case: str, kind: str) -> None:
    updater, weight, random = sparse_states.begun(mx, case)
    expected = kinds(updater.states[0])
    updater.set_states(base64.b64decode(MEASURED[case][kind]))
    assert kinds(updater.states[0]) == expected
    sparse_states.update(mx, updater, weight, random)
    assert agrees(numbers(weight), MEASURED[case]["weight"], 2e-5)


@pytest.mark.parametrize("case", MEASURED)
@pytest.mark.parametrize("dump_optimizer", [False, True])
def test_training_goes_on_from_saved_states(case: str, dump_optimizer: bool) -> None:
    first, weight, random = sparse_states.begun(mx, case)
    second, other, _ = sparse_states.begun(mx, case)
    for state in second.states.values():
        for one in state if isinstance(state, tuple) else [state]:
            one[:] = nd.zeros(one.shape).tostype(one.stype)
    second.set_states(first.get_states(dump_optimizer=dump_optimizer))
    generator_state = random.get_state()
    sparse_states.update(mx, first, weight, random)
    random.set_state(generator_state)
    sparse_states.update(mx, second, other, random)
    assert weight.asnumpy().tolist() == other.asnumpy().tolist()
    assert kinds(second.states[0]) == kinds(first.states[0])


@pytest.mark.parametrize("kind", ["csr", "row_sparse"])
def test_arrays_stay_as_they_are_stored(kind: str) -> None:
    array = nd.array(np.diag([1.0, 0.0, 2.0])).tostype(kind)
    (found,) = load(dump([array]))
    assert type(found) is type(array)
    assert found.asnumpy().tolist() == array.asnumpy().tolist()
    assert found.indices.asnumpy().tolist() == array.indices.asnumpy().tolist()


class _Pickler(pickle.Pickler):
    """Writes dense arrays as MXNet writes csr ones."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, nd.NDArray):
            return nd.sparse.CSRNDArray, (None,), {"handle": dump_array(obj)}
        return NotImplemented


def test_an_array_of_another_kind_than_its_class_is_refused() -> None:
    stream = io.BytesIO()
    _Pickler(stream).dump({0: nd.ones((2, 2))})
    with pytest.raises(FileFormatError, match="called a CSRNDArray is a NDArray"):
        load(stream.getvalue())


def test_states_of_a_row_sparse_weight_do_not_go_with_a_dense_one() -> None:
    updater, _, _ = sparse_states.begun(mx, "adam")
    states = updater.get_states()
    other = mx.optimizer.get_updater(mx.optimizer.create("adam"))
    weight = nd.ones((5, 2))
    other(0, nd.ones((5, 2)), weight)
    other.set_states(states)
    with pytest.raises(MismatchError, match="row_sparse float32"):
        other(0, nd.ones((5, 2)), weight)
