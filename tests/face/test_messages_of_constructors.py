"""Messages for constructors with invalid or misspelt arguments."""

# mypy: disable-error-code="call-arg,arg-type"
# (its complaints are what these programs are about)

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
import gluonic.gluon.contrib.cnn
import gluonic.gluon.model_zoo.vision
from gluonic import gluon, init, io, lr_scheduler, metric, nd, optimizer, sym
from gluonic.gluon import nn, rnn
from gluonic.graph.errors import AttributeValueError
from tests.cases import over
from tests.face.wrong_programs import Programs, check, ready

PROGRAMS = Programs()
wrong = PROGRAMS.wrong


@wrong(ValueError, r"^Dense: units='ten' must be an integer of at least 0")
def units_that_are_a_word(_: Path) -> None:
    nn.Dense("ten")


@wrong(ValueError, r"^Dense: units=-3 must be an integer of at least 0")
def fewer_units_than_none(_: Path) -> None:
    nn.HybridSequential().add(nn.Dense(-3))


@wrong(TypeError, r"^Dense: units=2\.5 must be an integer")
def half_a_unit(_: Path) -> None:
    nn.Dense(2.5)


@wrong(ValueError, r"^FullyConnected: num_hidden=0 must be an integer of at least 1")
def a_layer_without_units_is_made_but_not_called(_: Path) -> None:
    net = ready(lambda: nn.Dense(0))
    net(nd.ones((2, 3)))


@wrong(ValueError, r"^Embedding: output_dim=0 must be an integer of at least 1")
def an_embedding_of_no_numbers_is_made_but_not_called(_: Path) -> None:
    net = ready(lambda: nn.Embedding(3, 0))
    net(nd.ones((2,)))


@wrong(ValueError, r"^Conv2D: kernel_size=-3 must be an integer of at least 1")
def a_negative_kernel_of_a_layer(_: Path) -> None:
    nn.Conv2D(4, kernel_size=-3)


@wrong(ValueError, r"^Conv2D: kernel_size=\(3, -3\) must be an integer of at least 1 or a tuple")
def a_kernel_negative_along_one_axis(_: Path) -> None:
    nn.Conv2D(4, kernel_size=(3, -3))


@wrong(ValueError, r"^MaxPool2D: strides=0 must be an integer of at least 1")
def pooling_that_does_not_move(_: Path) -> None:
    nn.MaxPool2D(strides=0)


@wrong(ValueError, r"^Convolution: kernel=\(-3, -3\) must be a tuple, each .* at least 1")
def a_negative_kernel_of_an_operator(_: Path) -> None:
    nd.Convolution(nd.ones((1, 2, 8, 8)), nd.ones((4, 2, 3, 3)), kernel=(-3, -3), num_filter=4)


@wrong(ValueError, r"^Convolution: kernel=\(-3, -3\) must be a tuple")
def a_negative_kernel_in_a_graph(_: Path) -> None:
    sym.Convolution(sym.var("x"), kernel=(-3, -3), num_filter=4)


@wrong(ValueError, r"^FullyConnected: num_hidden=-3 must be an integer of at least 1")
def fewer_hidden_units_than_none_in_a_graph(_: Path) -> None:
    sym.FullyConnected(sym.var("x"), num_hidden=-3)


@wrong(ValueError, r"^Activation: act_type='rleu' must be one of .*; did you mean 'relu'")
def an_activation_of_a_layer_misspelt(_: Path) -> None:
    layer = ready(lambda: nn.Dense(3, in_units=2, activation="rleu"))
    layer(nd.ones((1, 2)))


@wrong(ValueError, r"^LSTM: dropout=1.5 must be a number of at least 0 and of at most 1")
def a_probability_above_one(_: Path) -> None:
    rnn.LSTM(3, dropout=1.5)


@wrong(ValueError, "^SGD: learning_rate='fast' must be a number or None")
def a_learning_rate_that_is_a_word(_: Path) -> None:
    net = ready(lambda: nn.Dense(3, in_units=2))
    gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": "fast"})


@wrong(TypeError, r"Adam: has no argument 'lerning_rate'; did you mean 'learning_rate'\?")
def an_optimizers_argument_misspelt(_: Path) -> None:
    gluon.Trainer({}, "adam", {"lerning_rate": 0.1})


@wrong(
    TypeError, r"Dense: has no argument 'activaton'; did you mean 'activation'\?", "it has units"
)
def a_layers_argument_misspelt(_: Path) -> None:
    nn.Dense(3, activaton="relu")


@wrong(TypeError, r"MyLayer: has no argument 'prefx'; did you mean 'prefix'\?", "it has width")
def an_argument_of_ones_own_layer_misspelt(_: Path) -> None:
    class MyLayer(nn.Dense):
        def __init__(self, width: int, **kwargs: Any) -> None:
            super().__init__(width, **kwargs)

    MyLayer(3, prefx="a_")


@wrong(TypeError, r"did you mean 'max_update'\?")
def a_schedulers_argument_misspelt(_: Path) -> None:
    lr_scheduler.PolyScheduler(max_updates=3)


@wrong(TypeError, r"Accuracy: has no argument 'axsi'; did you mean 'axis'\?")
def a_metrics_argument_misspelt(_: Path) -> None:
    metric.create("acc", axsi=1)


@wrong(TypeError, r"has no argument 'magntude'; did you mean 'magnitude'\?")
def an_initializers_argument_misspelt(_: Path) -> None:
    init.Xavier(magntude=2)


@wrong(TypeError, r"DataLoader: has no argument 'bach_size'; did you mean 'batch_size'")
def a_loaders_argument_misspelt(_: Path) -> None:
    gluon.data.DataLoader([1, 2], bach_size=2)


@wrong(TypeError, r"Trainer: has no argument 'optimiser_params'; did you mean 'optimizer_params'")
def a_trainers_argument_misspelt(_: Path) -> None:
    gluon.Trainer({}, "sgd", optimiser_params={})


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_error_states_the_cause_and_the_line(name: str, tmp_path: Path) -> None:
    check(PROGRAMS[name], tmp_path)


# ------------------------------------------------------------------------- all constructors there are

BASES: tuple[Any, ...] = (
    gluon.Block, gluon.Trainer, gluon.data.DataLoader, optimizer.Optimizer, lr_scheduler.LRScheduler,
    metric.EvalMetric, init.Initializer, io.DataIter, mx.rnn.BaseRNNCell, gluon.data.Sampler,
    mx.image.Augmenter, mx.image.DetAugmenter,
)  # fmt: skip

TAKING_ALL = (
    metric.EvalMetric, init.Initializer, io.CSVIter, io.MNISTIter, io.LibSVMIter, io.MXDataIter,
    mx.image.ImageIter, mx.image.RandomSizedCropAug,
)  # fmt: skip

# annotations of what is no number and no choice: arrays, functions, names, switches, initializers
UNCHECKED = re.compile(
    r"Any|str|bool|Callable|Initializer|ParameterDict|Mapping|dict|Block|DataIter|list|Sampler|RNN(Params|Cell)|Augmenter|Sized"
)


def _classes() -> Iterator[Any]:
    waiting: list[Any] = list(BASES)
    while waiting:
        cls = waiting.pop()
        waiting += cls.__subclasses__()
        if cls.__module__.startswith("gluonic.") and not cls.__name__.startswith("_"):
            yield cls


CLASSES = sorted(set(_classes()), key=lambda cls: f"{cls.__module__}.{cls.__qualname__}")
PARAMETERS = [
    (cls, p)
    for cls in CLASSES
    if "__init__" in cls.__dict__
    for p in list(inspect.signature(cls.__init__).parameters.values())[1:]
    if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
]
NUMBERS = [
    (cls, p.name)
    for cls, p in PARAMETERS
    if re.search("int|float", str(p.annotation)) and not UNCHECKED.search(str(p.annotation))
]


def test_each_parameter_is_checked_or_is_not_a_number() -> None:
    checked = {(cls, name) for cls, name in NUMBERS}
    others = {
        f"{cls.__name__}.{p.name}: {p.annotation}"
        for cls, p in PARAMETERS
        if (cls, p.name) not in checked
        and not UNCHECKED.search(str(p.annotation))
        and "Literal" not in str(p.annotation)
    }
    assert not others
    assert len(NUMBERS) > 200


@over("cls", dict.fromkeys(cls for cls, _ in NUMBERS), lambda cls: cls.__module__)
def test_a_word_instead_of_a_number_is_refused_with_its_name(cls: Any) -> None:
    for name in [name for owner, name in NUMBERS if owner is cls]:
        with pytest.raises(AttributeValueError, match=f"^{cls.__name__}: {name}='ten' must be a"):
            cls(**{name: "ten"})


@over("cls", CLASSES, lambda cls: cls.__module__)
def test_an_error_about_a_misspelt_argument_suggests_the_right_one(cls: Any) -> None:
    own = list(inspect.signature(cls).parameters.values())
    if issubclass(cls, TAKING_ALL) and any(p.kind is p.VAR_KEYWORD for p in own):
        pytest.skip("takes what it does not know")
    for meant in [p.name for p in own if p.kind is p.POSITIONAL_OR_KEYWORD]:
        message = rf"has no argument '{meant}x'; did you mean .*'{meant}'"
        with pytest.raises(AttributeValueError, match=message):
            cls(**{meant + "x": None})


@pytest.mark.parametrize("cls", [io.CSVIter, io.MNISTIter])
def test_iterators_that_let_keywords_pass_warn_of_them(cls: Any) -> None:
    with (
        pytest.warns(
            UserWarning, match="no parameter bach_size, which has no effect; did you mean 'batch"
        ),
        pytest.raises(OSError, match="nowhere"),
    ):
        cls("nowhere.csv", (2,), bach_size=3)
