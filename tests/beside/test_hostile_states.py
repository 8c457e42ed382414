"""Untrusted files of optimizer states: no code in them runs, and nothing changes."""

import contextlib
import functools
import io
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon, nd
from gluonic.graph.errors import FileFormatError
from gluonic.optimizer import get_updater
from gluonic.optimizer.states import load_states

# ------------------------------------------------------------------------------------------- files


class Reduced:
    """Pickled as a call, of which the result may be given a state."""

    def __init__(self, *reduction: Any) -> None:
        self.reduction = reduction

    def __reduce__(self) -> Any:
        return self.reduction


def named(module: str, name: str) -> bytes:
    """The opcodes that put what a name stands for."""
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def in_optimizer(value: Any) -> Any:
    """States with an optimizer, an attribute of which is the value."""
    optimizer = mx.optimizer.SGD()
    vars(optimizer)["extra"] = value
    return {}, optimizer


def memmap(path: str) -> tuple[Any, ...]:
    return np.memmap, (path, "uint8", "w+", 0, (4,))


_ARRAY_STATE = (1, (1,), np.dtype("f4"), False, b"abcd")
_RECONSTRUCT = np.arange(1).__reduce__()[0]  # in NumPy 1 and 2 its module has different names
CALLS: dict[str, Callable[[str], Any]] = {
    "memmap": lambda path: Reduced(*memmap(path)),
    "memmap reconstructed": lambda path: Reduced(
        _RECONSTRUCT, (np.memmap, (0,), b"b"), _ARRAY_STATE
    ),
    "matrix": lambda path: Reduced(_RECONSTRUCT, (np.matrix, (0,), b"b"), _ARRAY_STATE),
    "open_memmap": lambda path: Reduced(np.lib.format.open_memmap, (path, "w+", "f4", None, (3,))),
    "numpy.save": lambda path: Reduced(np.save, (path, np.arange(3))),
    "numpy.load": lambda path: Reduced(np.load, (path,)),
    "numpy.fromfile": lambda path: Reduced(np.fromfile, (path,)),
    "open": lambda path: Reduced(open, (path, "w")),
    "mkdir": lambda path: Reduced(os.mkdir, (path,)),
    "system": lambda path: Reduced(os.system, (f"touch {path}",)),
    "partial": lambda path: Reduced(functools.partial(os.mkdir, path), ()),
    "partial made": lambda path: Reduced(
        functools.partial, (os.mkdir,), (os.mkdir, (path,), {}, {})
    ),
    "process": lambda path: Reduced(subprocess.Popen, (["touch", path],)),
    "eval": lambda path: Reduced(eval, (f"open({path!r}, 'w')",)),
    "exec": lambda path: Reduced(exec, (f"open({path!r}, 'w')",)),
    "getattr": lambda path: Reduced(getattr, (np.arange(3), "tofile")),
    "method": lambda path: Reduced(np.arange(3).tofile, (path,)),
    "objects": lambda path: np.array([Reduced(os.mkdir, (path,))], dtype=object),
    "objects in a field": lambda path: np.array(
        [(1, os.mkdir)], dtype=[("a", "f4"), ("b", object)]
    ),
    "object": lambda path: Reduced(np.float64(1).__reduce__()[0], (np.dtype(object), b"12345678")),
    "record": lambda path: np.zeros(2, dtype=[("a", "f4")]),
    "optimizer called": lambda path: Reduced(mx.optimizer.LBSGD, (0.5,)),
    "saving": lambda path: Reduced(nd.save, (path, [nd.ones((1,))])),
    "large": lambda path: Reduced(bytearray, (1 << 50,)),
    "large array": lambda path: Reduced(_RECONSTRUCT, (np.ndarray, (1 << 50,), b"b")),
    "larger than its data": lambda path: Reduced(
        _RECONSTRUCT, (np.ndarray, (0,), b"b"), (1, (1 << 50,), np.dtype("f4"), False, b"abcd")
    ),
    "zeros": lambda path: Reduced(np.zeros, (1 << 50,)),
    "negative": lambda path: Reduced(
        _RECONSTRUCT, (np.ndarray, (0,), b"b"), (1, (-1, -1), np.dtype("f4"), False, b"abcd")
    ),
}


def doubled(levels: int, value: Any) -> Any:
    """A small thing that takes forever to walk through."""
    for _ in range(levels):
        value = (value, value)
    return value


def nested(levels: int) -> bytes:
    """The opcodes of a tuple in a tuple in a tuple…"""
    return b")" + b"\x85" * levels


OPCODES: dict[str, bytes] = {
    "nothing": b"",
    "no pickle": b"nonsense",
    "no end": b"\x80\x04}",
    "a list": pickle.dumps([1, 2]),
    "no optimizer": pickle.dumps(({}, 3)),
    "far memo": b"\x80\x02}r\xff\xff\xff\xff" + b"j\xff\xff\xff\xff0]\x94.",
    "long text": b"\x80\x04\x8d" + (1 << 62).to_bytes(8, "little") + b"a.",
    "long bytearray": b"\x80\x05\x96" + (1 << 40).to_bytes(8, "little") + b"a.",
    "long frame": b"\x80\x04\x95" + (1 << 62).to_bytes(8, "little") + b"].",
    "long integer": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "deep key": b"\x80\x02}" + nested(100_000) + b"Ns.",
    "deep value": b"\x80\x02}K\x00" + nested(100_000) + b"s.",
    "branching key": b"\x80\x02})" + b"2\x86" * 100 + b"Ns.",
    "branching member": b"\x80\x04\x8f()" + b"2\x86" * 100 + b"\x90.",
    "colliding keys": b"\x80\x02}("
    + b"".join(
        b"\x8a\x0c" + (i * ((1 << 61) - 1)).to_bytes(12, "little") + b"N" for i in range(200_000)
    )
    + b"u.",
    "a list in itself": b"\x80\x02]\x940h\x00h\x00a.",
    "attributes of a class": b"\x80\x02"
    + named("gluonic.lr_scheduler", "FactorScheduler")
    + b"N}U\x08__call__K\x01s\x86b.",
    "attributes of a function": b"\x80\x02"
    + named("gluonic.optimizer.states", "restore_array")
    + b"}U\x08__code__K\x01sb.",
    "an old instance": b"(i" + b"os\nsystem\n.",
    "an old object": b"(" + named("os", "system") + b"U\x04trueo.",
    "keywords": b"\x80\x04" + named("os", "mkdir") + b")}\x92.",
    "persistent": b"Pfile\n.",
    "persistent from the stack": b"U\x04fileQ.",
    "extension": b"\x80\x02\x82\x01.",
    "buffer": b"\x80\x05\x97.",
    "dotted": b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93)R.",
    "missing module": b"\x80\x04\x8c\x0cantigravity_\x8c\x01x\x93)R.",
    "an array of nothing": b"\x80\x02}K\x00"
    + named("mxnet.ndarray.ndarray", "NDArray")
    + b")\x81}bs.",
    "an array of a number": b"\x80\x02}K\x00"
    + named("mxnet.ndarray.ndarray", "NDArray")
    + b")\x81}U\x06handleK\x01sbs.",
    "unhashable key": b"\x80\x02}]Ns.",
    "underflow": b"\x80\x02\x87.",
    "no mark": b"\x80\x02t.",
    "appended to a dictionary": b"\x80\x02}Na.",
}


def hostile(path: str) -> Iterator[tuple[str, bytes]]:
    """Files by name; those that could leave a trace make the path exist."""
    yield from OPCODES.items()
    arguments = pickle.dumps(memmap(path)[1], 2)[:-1]
    yield "memmap by new", b"\x80\x02}K\x00" + named("numpy", "memmap") + arguments[2:] + b"\x81s."
    for name, make in CALLS.items():
        for protocol in (2, 4, 5):
            for where, states in (
                ("a state", {0: make(path)}),
                ("an attribute", in_optimizer(make(path))),
            ):
                yield f"{name}, as {where}, protocol {protocol}", _pickled(states, protocol)
    for protocol in (2, 4):
        yield "a tree without end", _pickled(in_optimizer([doubled(100, "x")] * 2)[1], protocol)


def _pickled(value: Any, protocol: int) -> bytes:
    stream = io.BytesIO()
    pickler = pickle._Pickler(stream, protocol)  # C's looks names up, which partial has not
    pickler.dump(value)
    return stream.getvalue()


# --------------------------------------------------------------------------------------- entrances


def _updater(folder: Path) -> tuple[Any, Callable[[bytes], None]]:
    updater = get_updater(mx.optimizer.SGD(momentum=0.5))
    updater(0, nd.ones((2,)), nd.ones((2,)))
    return updater, updater.set_states


def _from_file(folder: Path, read: Callable[[str], None]) -> Callable[[bytes], None]:
    def load_it(data: bytes) -> None:
        file = folder / "hostile.states"
        file.write_bytes(data)
        read(str(file))

    return load_it


def _trainer(folder: Path, **settings: Any) -> tuple[Any, Callable[[bytes], None]]:
    contexts = [mx.cpu(0), mx.cpu(1)]
    weight = gluon.Parameter("weight", shape=(2,))
    weight.initialize(ctx=contexts)
    trainer = gluon.Trainer([weight], "sgd", {"momentum": 0.5}, **settings)
    with mx.autograd.record():
        losses = [weight.data(context) * 2 for context in contexts]
    mx.autograd.backward(losses)
    trainer.step(1)
    store = trainer._kvstore._updater if trainer._update_on_kvstore else trainer._updaters[0]
    return store, _from_file(folder, trainer.load_states)


def _store(folder: Path) -> tuple[Any, Callable[[bytes], None]]:
    store = mx.kv.create()
    store.set_optimizer(mx.optimizer.SGD(momentum=0.5))
    store.init(0, nd.ones((2,)))
    store.push(0, nd.ones((2,)))
    return store._updater, _from_file(folder, store.load_optimizer_states)


def _module(folder: Path) -> tuple[Any, Callable[[bytes], None]]:
    output = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc")
    module = mx.mod.Module(
        mx.sym.LinearRegressionOutput(output, name="lro"), label_names=["lro_label"]
    )
    module.bind([("data", (1, 2))], [("lro_label", (1, 2))])
    module.init_params()
    module.init_optimizer(optimizer="sgd", optimizer_params={"momentum": 0.5})
    module.forward_backward(mx.io.DataBatch([nd.ones((1, 2))], [nd.ones((1, 2))]))
    module.update()
    return module._updater, _from_file(folder, module.load_optimizer_states)


ENTRANCES: dict[str, Callable[[Path], tuple[Any, Callable[[bytes], None]]]] = {
    "Updater": _updater,
    "Trainer": lambda folder: _trainer(folder, update_on_kvstore=False),
    "Trainer's store": lambda folder: _trainer(folder, update_on_kvstore=True),
    "KVStore": _store,
    "Module": _module,
}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_hostile_file_is_refused_and_changes_nothing(entrance: str, tmp_path: Path) -> None:
    target = tmp_path / "made"
    updater, read = ENTRANCES[entrance](tmp_path)
    before = updater.states, updater.optimizer, updater.aggregate_updates
    arrays = pickle.dumps(updater.get_states(dump_optimizer=True))
    for name, data in hostile(str(target)):
        with pytest.raises(FileFormatError):
            read(data)
        assert not target.exists(), name
        assert (updater.states, updater.optimizer, updater.aggregate_updates) == before, name
    assert pickle.dumps(updater.get_states(dump_optimizer=True)) == arrays


EVENTS: list[str] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if EVENTS and EVENTS[-1] != "off":
        EVENTS.append(event)


def test_reading_opens_imports_compiles_and_starts_nothing(tmp_path: Path) -> None:
    optimizer = mx.optimizer.SGD()
    files = list(hostile(str(tmp_path / "made")))
    for _, data in files:  # what gluonic itself imports late is there by now
        with pytest.raises(FileFormatError):
            load_states(data, optimizer, {})
    sys.addaudithook(_note)
    for name, data in files:
        EVENTS[:] = ["on"]
        with contextlib.suppress(FileFormatError):
            load_states(data, optimizer, {})
        noted, EVENTS[:] = set(EVENTS[1:]), ["off"]
        assert noted <= {"builtins.id", "object.__getattr__", "sys._getframe"}, name


def _scheduled(**changed: Any) -> bytes:
    """Trainer states with a scheduler whose attributes are changed."""
    schedule = mx.lr_scheduler.FactorScheduler(1, 0.999999)
    vars(schedule).update(changed)
    return pickle.dumps(({}, mx.optimizer.SGD(lr_scheduler=schedule)))


@pytest.mark.parametrize("count", [-(10**12), -0.5, float("nan"), float("-inf"), 1 << 70])
def test_a_scheduler_counts_from_zero(count: float) -> None:
    with pytest.raises(FileFormatError, match="count"):
        load_states(_scheduled(count=count), mx.optimizer.SGD(), {})


def test_a_scheduler_that_is_far_behind_catches_up_at_once() -> None:
    schedule = mx.lr_scheduler.FactorScheduler(1, 1 - 1e-12, base_lr=1.0)
    assert schedule(10**12) == pytest.approx(np.exp(-1), rel=1e-3)
    assert schedule.count == 10**12 - 1
    slow, fast = (mx.lr_scheduler.FactorScheduler(3, 0.9999, base_lr=1.0) for _ in range(2))
    for update in range(40_000):
        expected = slow(update)
    assert fast(update) == pytest.approx(expected, rel=1e-9)
    assert fast.count == slow.count


@pytest.mark.parametrize("name", ["create_state", "update", "_get_lr", "__class__", "set_lr_mult"])
def test_no_attribute_hides_a_method(name: str) -> None:
    optimizer = mx.optimizer.SGD()
    vars(optimizer)[name] = 3
    with pytest.raises(FileFormatError, match=name):
        load_states(pickle.dumps(({}, optimizer)), mx.optimizer.SGD(), {})


def test_bytes_that_are_named_often_are_not_copied_often() -> None:
    elements = bytes(1 << 20)
    restore = mx.optimizer.states.restore_array
    arrays = {i: Reduced(restore, (elements, "uint8", (1 << 20,), "cpu(0)")) for i in range(3000)}
    data = pickle.dumps(arrays)
    assert len(data) < 1 << 21
    with pytest.raises(FileFormatError, match="larger than the file"):
        load_states(data, mx.optimizer.SGD(), {})
