"""Optimizer states are saved and loaded, also MXNet's; nothing of other files is loaded."""

import base64
import copy
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError, MismatchError
from gluonic.optimizer import Optimizer, get_updater
from gluonic.optimizer.states import dump, load
from tests.beside.mxnet_pickles import as_mxnet_pickles
from tests.measured import optimizers
from tests.measured.measure import agrees, numbers, read

MEASURED = read("optimizers")
SAVED = [case for case in MEASURED if case.startswith("saved ")]


@pytest.mark.parametrize("name", ["sgd", "adam", "rmsprop", "lamb", "dcasgd"])
def test_states_are_serialized_to_bytes(name: str) -> None:
    def updater() -> Any:
        return get_updater(mx.optimizer.create(name))

    first, second = updater(), updater()
    weight = nd.array([1.0, 2.0])
    first("w", nd.ones((2,)), weight)
    second.set_states(first.get_states())
    copy = weight.copy()
    first("w", nd.ones((2,)), weight)
    second.optimizer._update_count("w")
    second("w", nd.ones((2,)), copy)
    assert copy.asnumpy().tolist() == weight.asnumpy().tolist()


def test_states_are_saved_with_their_optimizer_and_its_schedule() -> None:
    schedule = mx.lr_scheduler.FactorScheduler(1, factor=0.5, base_lr=1.0)
    first = get_updater(mx.optimizer.create("sgd", momentum=0.9, lr_scheduler=schedule))
    for _ in range(3):
        first(0, nd.ones((2,)), nd.ones((2,)))
    second = get_updater(mx.optimizer.create("adam"))
    second.set_states(first.get_states(dump_optimizer=True))
    assert type(second.optimizer) is mx.optimizer.SGD
    assert second.optimizer.momentum == 0.9
    assert second.optimizer.learning_rate == first.optimizer.learning_rate == 0.25


@pytest.mark.parametrize("case", SAVED)
def test_training_begun_in_mxnet_goes_on(case: str) -> None:
    """Its files, without the optimizer and with it; the next update is MXNet's."""
    name = case.removeprefix("saved ")
    case_here, schedule = (name, None) if name in optimizers.CASES else ("nag", name)
    for kind in ("states", "with optimizer"):
        updater, weights, random = optimizers.begun(mx, case_here, schedule)
        updater.set_states(base64.b64decode(MEASURED[case][kind]))
        optimizers.update(mx, updater, weights, random)
        assert agrees(numbers(weights), MEASURED[case]["weights"], 2e-3 if "half" in name else 2e-5)


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("case", ["adam", "lbsgd", "sgd half", "dcasgd"])
def test_every_protocol_of_pickle_is_read(case: str, protocol: int) -> None:
    """MXNet on Python 2 writes protocol 0, on Python 3 what is usual there."""
    updater, _, _ = optimizers.begun(mx, case)
    states, optimizer = updater.states, updater.optimizer
    updater.set_states(as_mxnet_pickles((states, optimizer), protocol))
    assert numbers(updater.states) == numbers(states)
    assert agrees(numbers(_settings(updater.optimizer)), numbers(_settings(optimizer)))


def _settings(optimizer: Any) -> dict[str, Any]:
    """What is saved of an optimizer, besides its schedule and its symbol."""
    saved = optimizer.__getstate__()
    return {k: v for k, v in saved.items() if k not in ("sym_info", "lr_scheduler")}


class Remembering(mx.optimizer.SGD):
    """An optimizer of a program, with attributes of its own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.history: Any = None


VALUES = {
    "array": np.arange(3, dtype=np.float32),
    "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "scalar": np.float64(2.5),
    "type": np.float16,
    "dtype": np.dtype(">i4"),
    "truth": np.bool_(True),
    "complex": 1 + 2j,
    "bytes": [b"ab", bytearray(b"cd")],
    "nothing": np.zeros((2, 0)),
    "sets": [{1, 2}, frozenset("a")],
    "ordered": OrderedDict([("b", 1), ("a", [2.5, None])]),
    "NDArray": nd.array([1, 2], dtype="int32"),
}


@pytest.fixture
def registered() -> Iterator[None]:
    mx.optimizer.register(Remembering)
    yield
    del Optimizer.opt_registry["remembering"]


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("name", VALUES)
def test_attributes_of_a_user_defined_optimizer_are_serialized(name: str) -> None:
    optimizer, updater = Remembering(momentum=0.5), get_updater(mx.optimizer.SGD())
    optimizer.history = [VALUES[name]] * 2
    updater.set_states(get_updater(optimizer).get_states(dump_optimizer=True))
    assert isinstance(updater.optimizer, Remembering)
    one, same = updater.optimizer.history
    assert one is same
    assert type(one) is type(VALUES[name])
    assert repr(one) == repr(VALUES[name])


# of NumPy 1.23.5: {"a": array of float32, "f": of float64, columns first, "s": np.float64(2.5),
# "t": np.float16, "d": np.dtype(">i4"), "b": np.bool_(True)}, by protocols 2 and 5
OF_NUMPY_1 = {
    2: (
        "80027d7100285801000000617101636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e7374"
        "727563740a7102636e756d70790a6e6461727261790a71034b00857104635f636f646563730a656e636f64650a"
        "7105580100000062710658060000006c6174696e31710786710852710987710a52710b284b014b0385710c636e"
        "756d70790a64747970650a710d58020000006634710e898887710f527110284b0358010000003c71114e4e4e4a"
        "ffffffff4affffffff4b0074711262896805580d000000000000000000c2803f00000040711368078671145271"
        "15747116625801000000667117680268034b00857118680987711952711a284b014b024b0286711b680d580200"
        "00006638711c898887711d52711e284b0368114e4e4e4affffffff4affffffff4b0074711f6288680558210000"
        "0000000000000000000000000000000040000000000000c3b03f00000000000008407120680786712152712274"
        "7123625801000000737124636e756d70792e636f72652e6d756c746961727261790a7363616c61720a7125681e"
        "6805580800000000000000000004407126680786712752712886712952712a580100000074712b636e756d7079"
        "0a666c6f617431360a712c580100000064712d680d58020000006934712e898887712f527130284b0358010000"
        "003e71314e4e4e4affffffff4affffffff4b007471326258010000006271336825680d58020000006231713489"
        "88877135527136284b0358010000007c71374e4e4e4affffffff4affffffff4b00747138626805580100000001"
        "7139680786713a52713b86713c52713d752e"
    ),
    5: (
        "80059592010000000000007d94288c0161948c126e756d70792e636f72652e6e756d65726963948c0b5f66726f"
        "6d62756666657294939428960c00000000000000000000000000803f00000040948c056e756d7079948c056474"
        "7970659493948c02663494898887945294284b038c013c944e4e4e4affffffff4affffffff4b007494624b0385"
        "948c014394749452948c0166946804289620000000000000000000000000000000000000000000004000000000"
        "0000f03f00000000000008409468088c02663894898887945294284b03680c4e4e4e4affffffff4affffffff4b"
        "007494624b024b0286948c014694749452948c0173948c156e756d70792e636f72652e6d756c74696172726179"
        "948c067363616c617294939468164308000000000000044094869452948c01749468068c07666c6f6174313694"
        "93948c01649468088c02693494898887945294284b038c013e944e4e4e4affffffff4affffffff4b007494628c"
        "016294681f68088c02623194898887945294284b038c017c944e4e4e4affffffff4affffffff4b007494624301"
        "019486945294752e"
    ),
}


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize("protocol", OF_NUMPY_1)
def test_arrays_that_numpy_1_has_written_are_read(protocol: int) -> None:
    found = load(bytes.fromhex(OF_NUMPY_1[protocol]))
    assert found["a"].dtype == np.float32
    assert found["a"].tolist() == [0, 1, 2]
    assert found["f"].tolist() == [[0, 1], [2, 3]]
    assert (found["s"], found["t"], found["d"], found["b"]) == (2.5, np.float16, ">i4", True)


@pytest.mark.usefixtures("registered")
def test_states_that_could_not_be_read_are_not_saved() -> None:
    optimizer = Remembering()
    optimizer.history = [print]
    with pytest.raises(mx.MXNetError, match="cannot hold <built-in function print>"):
        get_updater(optimizer).get_states(dump_optimizer=True)


# States of something else


def _begun(
    name: str, shape: tuple[int, ...] = (2,), dtype: str = "float32", **settings: Any
) -> Any:
    updater = get_updater(mx.optimizer.create(name, **settings))
    updater(0, nd.ones(shape, dtype=dtype), nd.ones(shape, dtype=dtype))
    return updater


def test_states_of_another_optimizer_are_refused() -> None:
    updater = _begun("sgd", momentum=0.9)
    before = updater.states
    with pytest.raises(
        MismatchError, match=r"it is \(an array, an array\)\n  it must be an array\n"
    ):
        updater.set_states(_begun("adam").get_states())
    assert updater.states is before


def test_states_of_weights_of_another_shape_or_dtype_are_refused_before_they_are_used() -> None:
    saved = _begun("adam", (3,)).get_states()
    updater = _begun("adam")
    before = updater.states
    with pytest.raises(MismatchError, match=r"it is \(float32 \(3,\), float32 \(3,\)\)"):
        updater.set_states(saved, {0: nd.ones((2,))})
    assert updater.states is before
    updater.set_states(saved)
    weight = nd.ones((2,))
    with pytest.raises(MismatchError, match=r"it must be \(float32 \(2,\), float32 \(2,\)\)"):
        updater(0, nd.ones((2,)), weight)
    assert weight.asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    "changed",
    [
        {"momentum": None},
        {"momentum": "much"},
        {"rescale_grad": [1.0]},
        {"lr": None},
        {"lr_mult": {0: "much"}},
        {"idx2name": [1]},
        {"lr_scheduler": 3},
        {"num_update": -1},
        {"num_update": 1 << 70},
        {"_index_update_count": {0: 0.5}},
        {"_all_index_update_counts": {0: 3}},
        {"sym_info": ({}, 5)},
        {"clip_gradient": nd.ones((1,))},
        {"multi_precision": nd.ones((1,))},
    ],
    ids=str,
)
def test_attributes_that_an_optimizer_cannot_have_are_refused(changed: dict[str, Any]) -> None:
    optimizer = mx.optimizer.SGD(momentum=0.9)
    vars(optimizer).update(changed)
    updater = _begun("sgd")
    before = updater.states, updater.optimizer
    with pytest.raises(FileFormatError, match=r"of a SGD cannot be|has no learning rate"):
        updater.set_states(dump(({}, optimizer)))
    assert (updater.states, updater.optimizer) == before


@pytest.mark.parametrize("name", ["momentum", "lr", "rescale_grad", "num_update", "lr_mult"])
def test_an_optimizer_that_lacks_an_attribute_is_refused(name: str) -> None:
    optimizer = mx.optimizer.SGD(momentum=0.9)
    del vars(optimizer)[name]
    with pytest.raises(FileFormatError, match=f"a SGD lacks {name}"):
        _begun("sgd").set_states(dump(({}, optimizer)))


@pytest.mark.parametrize("changed", [{"step": 0}, {"step": "3"}, {"factor": 7}, {"count": None}])
def test_impossible_schedules_in_a_file_are_refused(changed: dict[str, Any]) -> None:
    scheduler = mx.lr_scheduler.FactorScheduler(3, 0.5)
    vars(scheduler).update(changed)
    with pytest.raises(FileFormatError, match=next(iter(changed))):
        _begun("sgd").set_states(dump(({}, mx.optimizer.SGD(lr_scheduler=scheduler))))


SCHEDULES = [
    mx.lr_scheduler.FactorScheduler(3, 0.5),
    mx.lr_scheduler.MultiFactorScheduler([3, 5], 0.5),
    mx.lr_scheduler.PolyScheduler(7),
    mx.lr_scheduler.CosineScheduler(7),
]


@pytest.mark.parametrize("scheduler", SCHEDULES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("value", ["0.5", {}, [None]])
def test_schedules_with_an_attribute_of_another_kind_are_refused(
    scheduler: Any, value: Any
) -> None:
    for name in vars(scheduler):
        changed = copy.copy(scheduler)
        vars(changed)[name] = value
        with pytest.raises(FileFormatError, match=name):
            _begun("sgd").set_states(dump(({}, mx.optimizer.SGD(lr_scheduler=changed))))


def test_a_schedule_that_has_reached_its_end_is_not_counted_through() -> None:
    scheduler = mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=1.0)
    assert scheduler(1 << 59) == 1e-8
    assert scheduler.count == (1 << 59) - 1


def test_files_of_older_versions_of_mxnet_lack_what_was_added_later() -> None:
    optimizer = mx.optimizer.SGD(momentum=0.9)
    optimizer._update_count(0)
    for name in ("_all_index_update_counts", "aggregate_num", "multi_precision"):
        del vars(optimizer)[name]
    updater = _begun("sgd", momentum=0.9)
    updater.set_states(dump((updater.states, optimizer)))
    updater(0, nd.ones((2,)), nd.ones((2,)))
    assert updater.optimizer.num_update == 2


# get_states(dump_optimizer=True) of MXNet 1.9.1, after one update of two elements with gradients of 2
# by SGD(momentum=0.9, lr_scheduler=FactorScheduler(3, 0.5))
OF_MXNET = bytes.fromhex(
    "800495c6020000000000007d944b008c156d786e65742e6e6461727261792e6e646172726179948c074e4441"
    "727261799493944e859452947d948c0668616e646c65948c086275696c74696e73948c096279746561727261"
    "799493944328c9fa93f9000000000100000002000000000000000100000000000000000000000ad7a3bc0ad7"
    "a3bc94859452947362738c196d786e65742e6f7074696d697a65722e6f7074696d697a6572948c0353474494"
    "93942981947d94288c0c72657363616c655f6772616494473ff00000000000008c0c6c725f7363686564756c"
    "6572948c126d786e65742e6c725f7363686564756c6572948c0f466163746f725363686564756c6572949394"
    "2981947d94288c07626173655f6c7294473f847ae147ae147b8c0c7761726d75705f7374657073944b008c0f"
    "7761726d75705f66696e616c5f6c7294473f847ae147ae147b8c0f7761726d75705f626567696e5f6c72944b"
    "008c0b7761726d75705f6d6f6465948c066c696e656172948c0473746570944b038c06666163746f7294473f"
    "e00000000000008c0e73746f705f666163746f725f6c7294473e45798ee2308c3a8c05636f756e74944b0075"
    "628c026c72944e8c027764944700000000000000008c076c725f6d756c74947d948c0777645f6d756c74947d"
    "948c10626567696e5f6e756d5f757064617465944b008c0a6e756d5f757064617465944b018c185f616c6c5f"
    "696e6465785f7570646174655f636f756e7473947d944b007d944b004b0173738c135f696e6465785f757064"
    "6174655f636f756e7494682e8c0d636c69705f6772616469656e74944e8c0f6d756c74695f70726563697369"
    "6f6e94898c0d6167677265676174655f6e756d944b048c08696478326e616d65947d948c0873796d5f696e66"
    "6f94298c0e616c6c6f775f6e705f617272617994898c086d6f6d656e74756d94473feccccccccccccd8c0b6c"
    "617a795f7570646174659488756286942e"
)


def test_states_that_mxnet_has_written_are_read() -> None:
    updater = get_updater(mx.optimizer.create("adam"))
    updater.set_states(OF_MXNET)
    assert updater.states[0].asnumpy() == pytest.approx([-0.02, -0.02])
    assert type(updater.optimizer) is mx.optimizer.SGD
    assert updater.optimizer.momentum == 0.9
    assert updater.optimizer.num_update == 1
    assert updater.optimizer.lr_scheduler.factor == 0.5
