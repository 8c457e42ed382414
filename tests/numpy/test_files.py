"""Files of `mx.np` arrays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gluonic import nd, util
from gluonic import np as mnp
from gluonic import numpy_extension as npx
from gluonic.ndarray.numpy.array import ndarray


@pytest.fixture(autouse=True)
def switched_on() -> Iterator[None]:
    util.set_np()
    yield
    util.reset_np()


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (2, 3)])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_arrays_of_all_shapes_come_back(shape: Any, dtype: str, tmp_path: Path) -> None:
    array = mnp.array(np.ones(shape), dtype=dtype)
    npx.save(str(tmp_path / "one"), array)
    (found,) = npx.load(str(tmp_path / "one"))
    assert (type(found), found.shape, found.dtype) == (ndarray, shape, array.dtype)
    np.testing.assert_array_equal(found.asnumpy(), array.asnumpy())


def test_lists_and_names_are_kept(tmp_path: Path) -> None:
    one, two = mnp.array([1, 2]), mnp.array(3)
    npx.save(str(tmp_path / "list"), [one, two])
    npx.save(str(tmp_path / "names"), {"a": one, "b": two})
    assert [x.tolist() for x in npx.load(str(tmp_path / "list"))] == [[1, 2], 3]
    assert {n: x.tolist() for n, x in npx.load(str(tmp_path / "names")).items()} == {
        "a": [1, 2],
        "b": 3,
    }


@pytest.mark.parametrize("what", [nd.ones(2), [nd.ones(2)], {"a": 1}, 3, [None]])
def test_values_other_than_arrays_of_mx_np_are_refused(what: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"an array of mx\.np is needed"):
        npx.save(str(tmp_path / "file"), what)
    assert not (tmp_path / "file").exists()


def test_the_switches_must_be_on(tmp_path: Path) -> None:
    array = mnp.array(1)
    npx.save(str(tmp_path / "file"), array)
    util.reset_np()
    for call in (
        lambda: npx.save(str(tmp_path / "file"), array),
        lambda: npx.load(str(tmp_path / "file")),
    ):
        with pytest.raises(ValueError, match="set_np"):
            call()
