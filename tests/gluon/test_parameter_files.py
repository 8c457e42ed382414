"""Saving and loading parameters: every pair of ways, mismatches, and damaged files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.gluon import nn

PREFIX = "net_"


def make(prefix: str | None = PREFIX, units: int = 4) -> Any:
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(nn.Dense(units, in_units=3), nn.BatchNorm(in_channels=units))
        body = nn.HybridSequential()
        with body.name_scope():
            body.add(nn.Dense(2, in_units=units, use_bias=False))
        net.add(body)
    return net


def filled(number: float = 1.0, **settings: Any) -> Any:
    net = make(**settings)
    net.initialize()
    for i, parameter in enumerate(net.collect_params().values()):
        parameter.set_data(nd.ones(parameter.shape) * (number + i))
    return net


def values(net: Any) -> dict[str, Any]:
    return {
        name: None if p._data is None else p.data().asnumpy().tolist()
        for name, p in net._collect_params_with_prefix().items()
    }


def export(net: Any, path: str) -> None:
    net.hybridize()
    net(nd.ones((1, 3)))
    os.replace(net.export(path)[1], path)


SAVES: dict[str, Callable[[Any, str], Any]] = {
    "structure": lambda net, path: net.save_parameters(path),
    "full names": lambda net, path: net.collect_params().save(path),
    "stripped names": lambda net, path: net.collect_params().save(path, strip_prefix=net.prefix),
    "exported": export,
}


@pytest.mark.parametrize("saved", SAVES)
@pytest.mark.parametrize("initialized", [False, True])
def test_load_parameters_reads_all_that_is_written(
    saved: str, initialized: bool, tmp_path: Path
) -> None:
    path = str(tmp_path / "net.params")
    net, other = filled(), make()
    SAVES[saved](net, path)
    if initialized:
        other.initialize()
    other.load_parameters(path)
    assert values(other) == values(net)
    assert np.array_equal(other(nd.ones((2, 3))).asnumpy(), net(nd.ones((2, 3))).asnumpy())


@pytest.mark.parametrize("saved", ["structure", "stripped names"])
def test_names_without_prefix_fit_a_net_of_any_prefix(saved: str, tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    net, other = filled(), make(prefix="other_")
    SAVES[saved](net, path)
    other.load_parameters(path)
    assert values(other) == values(net)


@pytest.mark.parametrize("saved", ["full names", "exported"])
def test_a_dictionary_reads_full_names(saved: str, tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    net, other = filled(), make()
    SAVES[saved](net, path)
    other.collect_params().load(path)
    assert values(other) == values(net)


def test_a_dictionary_puts_a_prefix_back(tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    net, other = filled(), make(prefix="other_")
    SAVES["stripped names"](net, path)
    other.collect_params().load(path, restore_prefix="other_")
    assert values(other) == values(net)


def test_save_and_load_go_by_position(tmp_path: Path) -> None:
    net, other = filled(), make(prefix="other_")
    net.save(str(tmp_path / "net"))
    other.load(str(tmp_path / "net"))
    assert values(other) == values(net)
    assert [path.name for path in tmp_path.iterdir()] == ["net-model.params"]


def test_paths_may_be_path_objects(tmp_path: Path) -> None:
    net, other = filled(), make()
    net.save_parameters(tmp_path / "net.params")
    other.load_parameters(tmp_path / "net.params")
    net.collect_params().save(tmp_path / "net.params")
    other.collect_params().load(tmp_path / "net.params")
    net.hybridize()
    net(nd.ones((1, 3)))
    names = net.export(tmp_path / "net")
    assert values(gluon.SymbolBlock.imports(names[0], "data", names[1])).keys()


@pytest.mark.parametrize("deduplicate", [False, True])
def test_shared_parameters_come_back_shared(deduplicate: bool, tmp_path: Path) -> None:
    def tied() -> Any:
        net = nn.HybridSequential()
        first = nn.Dense(3, in_units=3)
        net.add(first, nn.Dense(3, in_units=3, params=first.params))
        return net

    path = str(tmp_path / "net.params")
    net, other = tied(), tied()
    net.initialize()
    net.save_parameters(path, deduplicate=deduplicate)
    assert len(nd.load(path)) == (2 if deduplicate else 4)
    other.load_parameters(path)
    assert other[0].weight is other[1].weight
    assert values(other) == values(net)


def test_deferred_parameters_take_shape_and_value_from_the_file(tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    filled().save_parameters(path)
    net = nn.HybridSequential(prefix=PREFIX)
    body = nn.HybridSequential()
    body.add(nn.Dense(2, use_bias=False))
    net.add(nn.Dense(4), nn.BatchNorm(), body)
    net.initialize()
    net.load_parameters(path)
    assert net[0].weight.shape == (4, 3)
    assert net(nd.ones((1, 3))).shape == (1, 2)


def test_parameters_are_loaded_to_the_contexts_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    filled().save_parameters(path)
    net = make()
    net.load_parameters(path, ctx=[mx.cpu(1), mx.cpu(2)])
    assert net[0].weight.list_ctx() == [mx.cpu(1), mx.cpu(2)]


# ------------------------------------------------------------------------- what does not fit


def _renamed(path: str, change: Callable[[dict[str, Any]], Any]) -> None:
    held = nd.load(path)
    change(held)
    nd.save(path, held)


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = str(tmp_path / "net.params")
    filled().save_parameters(path)
    return path


def test_a_missing_parameter_is_named_and_may_be_allowed(saved: str) -> None:
    _renamed(saved, lambda held: held.pop("0.bias"))
    net = filled(100)
    before = values(net)
    with pytest.raises(AssertionError, match=r"missing in the file: 0.bias[\s\S]*allow_missing"):
        net.load_parameters(saved)
    assert values(net) == before
    net.load_parameters(saved, allow_missing=True)
    assert values(net) == {**values(filled()), "0.bias": before["0.bias"]}


def test_an_extra_parameter_is_named_and_may_be_ignored(saved: str) -> None:
    _renamed(saved, lambda held: held.update({"7.weight": nd.ones((1,))}))
    net = filled(100)
    before = values(net)
    with pytest.raises(ValueError, match=r"not in the net: 7.weight[\s\S]*ignore_extra"):
        net.load_parameters(saved)
    assert values(net) == before
    net.load_parameters(saved, ignore_extra=True)
    assert values(net) == values(filled())


def test_a_name_that_is_nearly_right_is_suggested(saved: str) -> None:
    _renamed(saved, lambda held: held.update({"0.wieght": held.pop("0.weight")}))
    with pytest.raises(AssertionError, match=r"0.weight; did you mean '0.wieght'"):
        make().load_parameters(saved)


@pytest.mark.parametrize("last", ["2.0.weight", "0.weight"])
def test_nothing_is_loaded_if_one_shape_does_not_fit(saved: str, last: str) -> None:
    _renamed(saved, lambda held: held.update({last: nd.ones((9, 9))}))
    net = filled(100)
    before = values(net)
    with pytest.raises(AssertionError, match=r"the file holds the shape \(9, 9\), the net needs"):
        net.load_parameters(saved)
    assert values(net) == before
    fresh = make()
    with pytest.raises(AssertionError, match="the file holds the shape"):
        fresh.load_parameters(saved)
    assert set(values(fresh).values()) == {None}


@pytest.mark.parametrize(("source", "expected"), [("current", np.float16), ("saved", np.float32)])
def test_another_dtype_is_refused_or_cast(saved: str, source: str, expected: Any) -> None:
    for initialized in (False, True):
        net = make()
        net.cast("float16")
        if initialized:
            net.initialize()
        with pytest.raises(AssertionError, match="holds float32, the net needs float16"):
            net.load_parameters(saved)
        net.load_parameters(saved, cast_dtype=True, dtype_source=source)
        weight = net[0].weight
        assert weight.data().dtype == weight.grad().dtype == expected
        assert np.dtype(weight.dtype) == expected
        assert net(nd.ones((1, 3), dtype=expected)).dtype == expected


def test_a_list_of_arrays_is_refused_as_a_parameter_file(tmp_path: Path) -> None:
    path = str(tmp_path / "list.params")
    nd.save(path, [nd.ones((1,))])
    for load in (make().load_parameters, make().collect_params().load):
        with pytest.raises(ValueError, match="holds arrays without names"):
            load(path)


def test_a_net_without_parameters_has_an_empty_file(tmp_path: Path) -> None:
    path = str(tmp_path / "empty.params")
    net = nn.Flatten()
    net.save_parameters(path)
    net.load_parameters(path)


def test_uninitialized_parameters_are_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "net.params"
    net = nn.Dense(2)
    for ready in (False, True):
        if ready:
            net.initialize()
        with pytest.raises(RuntimeError, match="weight': has not been initialized"):
            net.save_parameters(str(path))
    assert not path.exists()


# ---------------------------------------------------------------------------------- damage


def test_a_truncated_file_loads_nothing(saved: str, tmp_path: Path) -> None:
    whole = Path(saved).read_bytes()
    net = filled(100)
    before = values(net)
    for length in range(len(whole)):
        (tmp_path / "part.params").write_bytes(whole[:length])
        with pytest.raises(mx.MXNetError, match=r"part\.params"):
            net.load_parameters(str(tmp_path / "part.params"))
    assert values(net) == before


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, MemoryError])
def test_an_interrupted_save_leaves_the_old_file(
    saved: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise error

    whole, folder = Path(saved).read_bytes(), Path(saved).parent
    for function in ("replace", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, interrupted)
            with pytest.raises((error, mx.MXNetError)):
                filled(100).save_parameters(saved)
        assert Path(saved).read_bytes() == whole
        assert [path.name for path in folder.iterdir()] == ["net.params"]
    filled(100).save_parameters(saved)
    assert Path(saved).read_bytes() != whole


def test_old_names_of_the_functions_warn_and_work(tmp_path: Path) -> None:
    path = str(tmp_path / "net.params")
    net, other = filled(), make()
    with pytest.warns(UserWarning, match="save_params is deprecated"):
        net.save_params(path)
    with pytest.warns(UserWarning, match="load_params is deprecated"):
        other.load_params(path)
    assert values(other) == values(net)
