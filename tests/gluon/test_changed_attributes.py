"""A hybridized net computes with its attributes as they are now, and is traced no more often than needed."""

import pickle
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.gluon.replay import replay_of
from gluonic.gluon.traces import MOST_TRACES, traces_of

OFFSET = 1.0
SETTINGS = {"gain": 1.0}


class Net(gluon.HybridBlock):
    """Reads attributes of all kinds, and counts how often it is traced."""

    shift = 0.0

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.traces = 0
        self.scale: Any = 2.0
        self.is_negative = False
        self.terms = [1.0, [2.0, 3.0]]
        self.by_name: dict[str, Any] = {"gain": 1.0}
        self.config = SimpleNamespace(power=1)
        self.table = np.array([1.0, 5.0], "float32")
        self.epoch = 0

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        self.traces += 1
        y = x * self.scale + self.terms[0] + self.terms[1][0] + self.shift  # type: ignore[index]
        y = y * self.by_name["gain"] * float(self.table[1])
        y = y**self.config.power
        return -y if self.is_negative else F.tanh(y * 0.01)


class Outside(gluon.HybridBlock):
    """Reads the attributes of a block below, and this module's numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = Net()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.inner(x) * SETTINGS["gain"] + OFFSET * self.inner.by_name["gain"]


def ones(*shape: int) -> nd.NDArray:
    made: nd.NDArray = nd.ones(shape or (1, 2))
    return made


def called(net: Any, x: nd.NDArray, *, recorded: bool = False) -> Any:
    if not recorded:
        return net(x).asnumpy()
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    return np.concatenate([y.asnumpy(), x.grad.asnumpy()])


def check(net: Any, *, recorded: bool = False) -> None:
    """The hybridized net computes what the same net computes eagerly."""
    found = [called(net, ones(), recorded=recorded) for _ in range(3)]
    active = pickle.loads(pickle.dumps(net))
    active.hybridize(False)
    expected = called(active, ones(), recorded=recorded)
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-5)


def check_values(net: Any, factor: float = 1) -> None:
    """As `check`, for classes that cannot be pickled."""
    expected = factor * np.tanh(0.05 * (net.scale + 3))
    np.testing.assert_allclose(net(ones()).asnumpy().max(), expected, rtol=1e-5)


def set_scale(net: Net) -> None:
    net.scale = 5.0


def set_scale_to_numpy(net: Net) -> None:
    net.scale = np.float32(3)


def choose_branch(net: Net) -> None:
    net.is_negative = True


def set_element(net: Net) -> None:
    net.terms[0] = 7.0


def set_nested_element(net: Net) -> None:
    net.terms[1][0] = 7.0  # type: ignore[index]


def replace_list(net: Net) -> None:
    net.terms = [3.0, [4.0]]


def set_item(net: Net) -> None:
    net.by_name["gain"] = 7.0


def update_items(net: Net) -> None:
    net.by_name.update(gain=0.5)


def set_in_namespace(net: Net) -> None:
    net.config.power = 2


def set_in_array(net: Net) -> None:
    net.table[1] = 2.0


def cover_class_attribute(net: Net) -> None:
    net.shift = 4.0


CHANGES = [
    set_scale,
    set_scale_to_numpy,
    choose_branch,
    set_element,
    set_nested_element,
    replace_list,
    set_item,
    update_items,
    set_in_namespace,
    set_in_array,
    cover_class_attribute,
]


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_by_the_next_call(change: Any, at_once: bool, recorded: bool) -> None:
    net = Net()
    net.hybridize(compile_at_once=at_once)
    check(net, recorded=recorded)
    change(net)
    check(net, recorded=recorded)
    assert net.traces == 2


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_below_is_seen_by_the_net_around_it(change: Any) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=2), Outside())
    net.initialize()
    net.hybridize(compile_at_once=True)
    check(net)
    change(net[1].inner)
    check(net)


@pytest.mark.parametrize("change", CHANGES)
def test_a_replay_sees_a_change(change: Any) -> None:
    net = Net()
    net.hybridize(compile_at_once=True)
    check(net)
    assert replay_of(net) is not None
    change(net)
    check(net)
    assert replay_of(net) is not None


def test_what_is_deleted_uncovers_the_attribute_of_the_class() -> None:
    net = Net()
    net.shift = 3.0
    net.hybridize()
    check(net)
    del net.shift
    check(net)


def test_an_attribute_that_was_absent_is_seen_when_it_is_set() -> None:
    class Optional(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x * getattr(self, "factor", 1.0)

    net: Any = Optional()
    net.hybridize()
    assert net(ones()).asnumpy().max() == 1
    net.factor = 4.0
    assert net(ones()).asnumpy().max() == 4


def test_an_attribute_of_the_class_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net()
    net.hybridize(compile_at_once=True)
    check(net)
    monkeypatch.setattr(Net, "shift", 9.0)
    check(net)


def test_globals_of_the_module_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Outside()
    net.hybridize(compile_at_once=True)
    before = [net(ones()).asnumpy().max() for _ in range(3)][-1]
    monkeypatch.setitem(globals(), "OFFSET", 11.0)
    np.testing.assert_allclose(net(ones()).asnumpy().max(), before + 10, rtol=1e-6)
    monkeypatch.setitem(SETTINGS, "gain", 0.0)
    assert net(ones()).asnumpy().max() == 11


def test_variables_around_a_lambda_are_watched() -> None:
    factor = 2.0
    powers = [1]
    net = nn.HybridLambda(lambda F, x: F.abs(x) * factor ** powers[0])
    net.hybridize(compile_at_once=True)
    assert [net(ones()).asnumpy().max() for _ in range(3)] == [2] * 3
    factor = 3.0
    assert [net(ones()).asnumpy().max() for _ in range(3)] == [3] * 3
    powers[0] = 2
    assert [net(ones()).asnumpy().max() for _ in range(3)] == [9] * 3


def test_another_function_is_called() -> None:
    class Activated(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.function: Any = lambda x: x * 2

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.function(x)

    net = Activated()
    net.hybridize()
    assert net(ones()).asnumpy().max() == 2
    net.function = lambda x: x + 4
    assert net(ones()).asnumpy().max() == 5


def test_values_that_were_traced_before_are_found_again() -> None:
    net = Net()
    net.hybridize(compile_at_once=True)
    for _ in range(4):
        for net.is_negative in (True, False):
            for net.terms[0] in (1.0, 2.0):
                check(net)
    assert net.traces == 4


def test_modes_have_traces_of_their_own() -> None:
    net = Net()
    net.hybridize()
    for net.scale in (1.0, 2.0, 1.0, 2.0):
        check(net)
        check(net, recorded=True)
    assert net.traces == 4


def test_the_same_value_and_what_is_not_read_trace_nothing() -> None:
    net = Net()
    net.hybridize(compile_at_once=True)
    check(net)
    kept = replay_of(net)
    for net.epoch in range(5):
        net.scale = float("2.0")
        net.config.unread = 3
        del net.config.unread
        assert replay_of(net) is kept
        check(net)
    net.terms = [1.0, [2.0, 3.0]]
    net.by_name = {"gain": 1.0}
    net.table = net.table.copy()
    check(net)
    assert net.traces == 1


def test_equal_values_of_other_types_differ() -> None:
    class Typed(gluon.HybridBlock):
        value: Any = True

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x * {bool: 1, int: 2, float: 3}[type(self.value)]

    net = Typed()
    net.hybridize()
    for net.value, expected in ((True, 1), (1, 2), (1.0, 3), (True, 1)):
        assert net(ones()).asnumpy().max() == expected


def test_zeros_have_signs_and_nan_equals_itself() -> None:
    net = Net()
    net.hybridize()
    for net.scale in (0.0, -0.0, float("nan"), float("nan")):
        net(ones())
    assert net.traces == 3


def test_counters_in_hooks_and_while_tracing_trace_nothing() -> None:
    class Counting(Net):
        def __init__(self) -> None:
            super().__init__()
            self.calls, self.shapes = 0, list[Any]()
            self.seen: Any = None

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            self.shapes.append(F)
            self.seen = x
            return super().hybrid_forward(F, self.seen)

    def count(block: Any, *_: Any) -> None:
        block.calls += 1

    net = Counting()
    net.register_forward_hook(count)
    net.hybridize()
    for _ in range(4):
        called(net, ones())
        called(net, ones(), recorded=True)
    assert (net.calls, net.traces) == (8, 2)


def test_a_trace_with_the_same_graph_keeps_the_code() -> None:
    class Late(gluon.HybridBlock):
        epoch = 0

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.tanh(x) * 2 if self.epoch < 5 else x

    net = Late()
    net.hybridize(compile_at_once=True)
    for net.epoch in range(5):
        net(ones())
    assert net.cache_info().misses == 1
    net.epoch = 5
    assert net(ones()).asnumpy().max() == 1


def test_values_without_end_do_not_accumulate_traces() -> None:
    net = Net()
    net.hybridize()
    for net.scale in range(MOST_TRACES):
        net(ones())
    net.scale = -1.0
    with pytest.warns(UserWarning, match="an attribute that hybrid_forward reads"):
        net(ones())
    assert net.traces == MOST_TRACES + 1
    net.scale = MOST_TRACES - 1
    check(net)
    assert net.traces == MOST_TRACES + 1
    assert len(traces_of(net).all_bound) == MOST_TRACES


def test_parameters_that_a_branch_adds_are_initialized_when_it_is_taken() -> None:
    class Branching(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.wide = False
            with self.name_scope():
                self.first, self.second = nn.Dense(2), nn.Dense(3)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.second(x) if self.wide else self.first(x)

    net = Branching()
    net.initialize()
    net.hybridize()
    for net.wide in (False, True):
        with pytest.warns(UserWarning, match="no operator reads"):
            net(ones())
    assert net(ones()).shape == (1, 3)
    net.wide = False
    assert net(ones()).shape == (1, 2)


def test_a_change_between_the_last_call_and_export_is_exported(tmp_path: Path) -> None:
    net = Net()
    net.hybridize()
    net(ones())
    net.is_negative, net.scale = True, 4.0
    symbol, parameters = net.export(str(tmp_path / "net"))
    read = gluon.SymbolBlock.imports(symbol, ["data"], parameters)
    np.testing.assert_allclose(read(ones()).asnumpy(), net(ones()).asnumpy())


def test_copies_and_pickles_have_traces_of_their_own() -> None:
    net = Net()
    net.hybridize()
    check(net)
    copied = pickle.loads(pickle.dumps(net))
    copied.scale = 9.0
    check(copied)
    check(net)
    assert net.traces == 1


def test_tracing_leaves_the_class_of_a_block_alone() -> None:
    registered = []

    class Registered(gluon.HybridBlock):
        def __init_subclass__(cls) -> None:
            registered.append(cls)

    class Curious(Registered):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            assert self.__class__ is Curious
            assert type(self).__name__ == "Curious"
            return x * 2

    net = Curious()
    net.hybridize()
    assert net(ones()).asnumpy().max() == 2
    assert type(net) is Curious

    class Plain(Registered):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            raise mx.base.MXNetError("no")

    failing = Plain()
    failing.hybridize()
    with pytest.raises(mx.base.MXNetError):
        failing(ones())
    assert type(failing) is Plain
    assert registered == [Curious, Plain]


def test_blocks_whose_first_base_is_abstract_are_traced() -> None:
    """Such a class adds the dictionary of its instances itself."""

    class Encoder(ABC, gluon.HybridBlock):
        @abstractmethod
        def size(self) -> int: ...

    class Doubling(Encoder):
        def size(self) -> int:
            return 2

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return x * self.size()

    net = Doubling()
    net.hybridize()
    assert net(ones()).asnumpy().max() == 2
    assert type(net) is Doubling


def test_blocks_with_slots_are_traced() -> None:
    class Slotted(Net):
        __slots__ = ("slot",)

        def __init__(self) -> None:
            super().__init__()
            self.slot = 2.0

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return super().hybrid_forward(F, x) * self.slot

    net = Slotted()
    net.hybridize()
    for net.scale in (1.0, 2.0):
        check_values(net, 2)


def test_blocks_with_another_metaclass_are_traced() -> None:
    class Abstract(Net, ABC):
        @abstractmethod
        def unused(self) -> None: ...

    class Concrete(Abstract):
        def unused(self) -> None: ...

    net = Concrete()
    net.hybridize()
    for net.scale in (1.0, 2.0):
        check_values(net)
    assert isinstance(net, Abstract)
    assert not isinstance(Net(), Abstract)


def test_a_block_with_its_own_forward_is_not_traced() -> None:
    class Own(gluon.HybridBlock):
        scale = 1.0

        def forward(self, x: Any) -> Any:
            return x * self.scale

    net = Own()
    net.hybridize()
    for net.scale in (1.0, 2.0):
        assert net(ones()).asnumpy().max() == net.scale


def test_threads_that_call_see_what_another_sets() -> None:
    net = Net()
    net.hybridize()
    failures = list[BaseException]()

    def call() -> None:
        try:
            for _ in range(100):
                net(ones())
        except BaseException as error:  # reported by the test below
            failures.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for net.scale in (1.0, 2.0, 3.0):
            net.is_negative = not net.is_negative
    assert not failures
    check(net)
    assert type(net) is Net


def test_a_change_while_another_thread_traces_is_seen_by_the_next_call() -> None:
    class Slow(gluon.HybridBlock):
        scale = 1.0

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = x * self.scale
            other = threading.Thread(target=setattr, args=(self, "scale", 2.0))
            other.start()
            other.join()
            return y

    net = Slow()
    net.scale = 1.0
    net.hybridize()
    net(ones())
    assert net(ones()).asnumpy().max() == 2


def test_a_method_of_the_block_is_replaced() -> None:
    net = Net()
    net.hybridize(compile_at_once=True)
    check(net)
    net.hybrid_forward = lambda F, x: x * 100  # type: ignore[method-assign]
    assert net(ones()).asnumpy().max() == 100


def test_the_graph_that_programs_ask_for_is_that_of_now() -> None:
    net = Net()
    net.hybridize()
    net(ones())
    net.is_negative = True
    _, output = net._get_graph(ones())
    assert "tanh" not in output.tojson()
