"""When a hybridized block is traced, for which calls a trace is valid, and that no value is frozen in it."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn, traces
from gluonic.gluon.traces import traces_of
from gluonic.graph.errors import CallError
from tests.forking import forks, is_true_in_a_child


class Watched(gluon.HybridBlock):
    """Counts how often it is traced."""

    def __init__(self) -> None:
        super().__init__()
        self.traces = 0

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **parameters: Any) -> Any:
        self.traces += F is mx.sym
        return self.compute(F, x, *args, **parameters)

    def compute(self, F: Any, x: Any, *args: Any) -> Any:
        raise NotImplementedError


def hybridized(net: Any) -> Any:
    net.initialize()
    net.hybridize()
    return net


class Branching(Watched):
    def compute(self, F: Any, x: Any, *args: Any) -> Any:
        if autograd.is_training():
            return x * 100
        if autograd.is_recording():
            return x * 10
        return x * 2


def test_a_change_of_mode_traces_branches_again() -> None:
    net = hybridized(Branching())
    x = nd.array([1.0])
    found = []
    for _ in range(2):
        found.append(net(x).asscalar())
        with autograd.record():
            found.append(net(x).asscalar())
        with autograd.record(train_mode=False):
            found.append(net(x).asscalar())
        with autograd.train_mode():
            found.append(net(x).asscalar())
    assert found == [2, 100, 10, 100] * 2
    assert net.traces == 4


class Chain(Watched):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, activation="relu")

    def compute(self, F: Any, x: Any, *args: Any) -> Any:
        return F.softmax(self.dense(F.exp(-x)) * 2)


@pytest.mark.usefixtures("compiled_at_once")
def test_a_new_batch_size_neither_traces_nor_compiles_again() -> None:
    net = hybridized(Chain())
    with autograd.record():
        net(nd.ones((1, 5))).backward()
    net(nd.ones((1, 5)))
    before = net.cache_info().specializations
    assert before > 0
    for size in (2, 3, 5, 64, 1, 1000):
        with autograd.record():
            net(nd.ones((size, 5))).backward()
        assert net(nd.ones((size, 5))).shape == (size, 3)
    assert net.cache_info().specializations == before
    assert net.traces == 2


def test_another_dtype_is_compiled_for_and_right() -> None:
    class Double(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            return F.exp(x) * 2

    net = hybridized(Double())
    for dtype in ("float32", "float64", "float16", "float32"):
        y = net(nd.ones((3,), dtype=dtype))
        assert y.dtype == np.dtype(dtype)
        np.testing.assert_allclose(y.asnumpy(), 2 * np.e, rtol=1e-3)
    assert net.traces == 1


# ------------------------------------------------------------------------------------ structure


class Nested(Watched):
    """Sums up whatever arrays it finds, and mirrors their structure."""

    def compute(self, F: Any, x: Any, *args: Any) -> Any:
        def doubled(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(map(doubled, value))
            return value if value is None or isinstance(value, (int, float, str)) else value * 2

        return doubled([x, *args])


def ones() -> Any:
    return nd.ones((2,))


STRUCTURES: dict[str, Any] = {
    "one": lambda: [ones()],
    "two": lambda: [ones(), ones()],
    "none": lambda: [None, ones()],
    "none last": lambda: [ones(), None],
    "list": lambda: [[ones(), ones()], ones()],
    "tuple": lambda: [(ones(), (ones(),)), [ones()]],
    "scalars": lambda: [ones(), 3, 2.5, "text", True],
    "deep": lambda: [[[[ones(), None], []], (1, (ones(), []))], ()],
}


def _described(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_described, value))
    return value.asnumpy().tolist() if isinstance(value, nd.NDArray) else value


@pytest.mark.parametrize("name", STRUCTURES)
def test_inputs_and_outputs_may_be_nested(name: str) -> None:
    net = Nested()
    eager = _described(net(*STRUCTURES[name]()))
    net.hybridize()
    for _ in range(2):
        assert _described(net(*STRUCTURES[name]())) == eager
    assert net.traces == 1


def test_each_structure_has_a_trace_and_comes_back_to_it() -> None:
    net = hybridized(Nested())
    for _ in range(3):
        for make in STRUCTURES.values():
            eager = Nested()(*make())
            assert _described(net(*make())) == _described(eager)
    assert net.traces == len(STRUCTURES)


@pytest.mark.parametrize(
    "values", [(1, 1.0, True), (0.0, -0.0), (2, "2"), (None, 0), ((1,), [1])], ids=str
)
def test_arguments_that_compare_equal_but_differ_in_type_are_distinguished(
    values: tuple[Any, ...],
) -> None:
    class Formatted(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            return x * len(repr(args[0])) + (str(args[0])[0] == "-")

    net = Formatted()
    eager = [net(ones(), value).asnumpy().tolist() for value in values]
    net.hybridize()
    assert [net(ones(), value).asnumpy().tolist() for value in values] == eager
    assert net.traces == len(values)


def test_ever_changing_numbers_do_not_accumulate_traces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Scaled(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            return x * args[0]

    monkeypatch.setattr(traces, "MOST_TRACES", 5)
    net = hybridized(Scaled())
    for number in range(5):
        assert net(ones(), number).asnumpy().max() == number
    with pytest.warns(UserWarning, match="pass numbers that change as arrays"):
        net(ones(), 1e6)
    assert len(traces_of(net).known) == 5
    assert net(ones(), 4).asnumpy().max() == 4
    assert net.traces == 6


@pytest.mark.parametrize("value", [{"a": 1}, np.ones(2), {1, 2}], ids=lambda v: type(v).__name__)
def test_inputs_of_other_kinds_are_refused(value: Any) -> None:
    class First(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            return x * 2

    net = hybridized(First())
    with pytest.raises(CallError, match=r"given NDArray, [\s\S]*mx.nd.array"):
        net(ones(), value)


def test_arrays_and_symbols_do_not_mix() -> None:
    net = hybridized(Nested())
    for inputs in ((ones(), mx.sym.var("a")), (mx.sym.var("a"), ones())):
        with pytest.raises(ValueError, match="NDArrays and Symbols in one call"):
            net(*inputs)


def test_a_block_that_computes_nothing_is_refused() -> None:
    class Nothing(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            return None

    with pytest.raises(mx.MXNetError, match="returned nothing that depends on F"):
        hybridized(Nothing())(ones())


def test_operators_with_several_outputs_return_them_all() -> None:
    class Split(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            parts = F.split(x, num_outputs=2, axis=0)
            return (parts, x * 2) if args else parts

    net = hybridized(Split())
    assert [y.asscalar() for y in net(nd.array([1.0, 2.0]))] == [1, 2]
    (a, b), c = net(nd.array([1.0, 2.0]), 1)
    assert (a.asscalar(), b.asscalar(), c.shape) == (1, 2, (2,))


# ------------------------------------------------------------------------- changes of the block


def test_a_child_that_is_added_or_replaced_takes_effect_at_once_at_any_depth() -> None:
    inner, outer = nn.HybridSequential(), nn.HybridSequential()
    inner.add(nn.Dense(2, in_units=2, weight_initializer="ones"))
    outer.add(inner)
    net = hybridized(outer)
    x = nd.ones((1, 2))
    assert net(x).shape == (1, 2)
    inner.add(nn.Flatten(), nn.Dense(3, in_units=2, weight_initializer="ones"))
    inner[2].initialize()
    assert net(x).asnumpy().tolist() == [[4, 4, 4]]


def test_a_cast_child_takes_effect_at_once() -> None:
    net = hybridized(nn.Dense(2, in_units=2))
    net(nd.ones((1, 2)))
    net.cast("float64")
    assert net(nd.ones((1, 2), dtype="float64")).dtype == np.float64


def test_new_values_of_parameters_take_effect_at_once() -> None:
    net = hybridized(nn.Dense(1, in_units=1, use_bias=False))
    for value in (2.0, 3.0):
        net.weight.set_data(nd.array([[value]]))
        assert net(nd.ones((1, 1))).asscalar() == value
    net.initialize(mx.init.Constant(5), force_reinit=True)
    assert net(nd.ones((1, 1))).asscalar() == 5


def test_hybridize_discards_the_graph_and_traces_again() -> None:
    net = hybridized(Branching())
    net(ones())
    net.hybridize(clear=False)
    net(ones())
    assert net.traces == 1
    net.hybridize()
    net(ones())
    assert net.traces == 2


# ------------------------------------------------------------------------------ where it may run


def test_a_first_call_from_many_threads_traces_once_and_is_right() -> None:
    net = hybridized(Chain())
    net.dense.initialize(mx.init.One(), force_reinit=True)
    expected = 1 / 3
    start, wrong = threading.Barrier(16), list[Any]()

    def work(number: int) -> None:
        start.wait()
        for size in range(1, 20):
            y = net(nd.ones((size + number, 5))).asnumpy()
            if y.shape != (size + number, 3) or not np.allclose(y, expected):
                wrong.append(y)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert net.traces == 1


def test_modes_are_those_of_the_thread() -> None:
    net = hybridized(Branching())
    found: list[float] = []
    with autograd.record():
        thread = threading.Thread(target=lambda: found.append(net(nd.ones((1,))).asscalar()))
        thread.start()
        thread.join()
        found.append(net(nd.ones((1,))).asscalar())
    assert found == [2, 100]


@forks
@pytest.mark.parametrize("before", ["compiled", "traced never"])
def test_a_forked_child_runs_what_its_parent_compiled_and_compiles_more(before: str) -> None:
    net = Chain()
    net.initialize(mx.init.One())
    net(nd.ones((2, 5)))
    net.hybridize()
    if before == "compiled":
        net(nd.ones((2, 5)))

    def computes() -> bool:
        with autograd.record():
            y = net(nd.ones((3, 5)))
        y.backward()
        again = net(nd.ones((2, 5)))
        return np.allclose(y.asnumpy(), 1 / 3) and np.allclose(again.asnumpy(), 1 / 3)

    assert is_true_in_a_child(computes)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
@pytest.mark.parametrize("hybridize", [False, True])
def test_after_a_call_is_interrupted_the_next_one_works(
    error: type[BaseException], hybridize: bool
) -> None:
    class Breaking(Watched):
        breaks = True

        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(2)

        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            y = self.dense(x)
            if self.breaks:
                raise error
            return F.relu(y)

    net = Breaking()
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    with mx.name.NameManager():
        with pytest.raises(error), autograd.record():
            net(nd.ones((1, 3)))
        assert not autograd.is_recording()
        assert not autograd.is_training()
        assert mx.current_context() == mx.cpu(0)
        assert nn.Dense(1).prefix == "dense0_"
        net.breaks = False
        assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


# ------------------------------------------------------------------------------------ size, memory


def test_a_chain_may_be_longer_than_pythons_stack() -> None:
    class Long(Watched):
        def compute(self, F: Any, x: Any, *args: Any) -> Any:
            for _ in range(3000):
                x = x + 1
            return x

    net = hybridized(Long())
    x = nd.zeros((2,))
    x.attach_grad()
    assert net(x).asnumpy().tolist() == [3000] * 2
    trace = traces_of(net).latest
    assert trace is not None
    assert len(trace.graph.nodes) == 3001


def test_a_thousand_layers_are_traced_differentiated_and_dropped() -> None:
    net = nn.HybridSequential()
    for _ in range(1000):
        net.add(nn.Activation("relu"))
    net.hybridize()
    x = nd.array([1.0, -1.0])
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.asnumpy().tolist() == [1, 0]
    assert len(repr(net).splitlines()) == 1002


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_net_that_is_dropped_leaves_nothing(hybridize: bool) -> None:
    net = Chain()
    net.initialize()
    net.hybridize(hybridize)
    with autograd.record():
        y = net(nd.ones((2, 5)))
    y.backward()
    held: list[Any] = [net, net.dense, net.dense.weight, net.dense.weight.data()]
    if (trace := traces_of(net).latest) is not None:
        held += [trace, trace.graph.nodes[-1]]
    del trace
    kept = [weakref.ref(one) for one in held]
    held.clear()
    del net, y
    gc.collect()
    assert [reference() for reference in kept] == [None] * len(kept)
