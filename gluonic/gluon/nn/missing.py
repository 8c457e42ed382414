"""Names that `gluon.nn` does not have: the errors say where the layer is, or what it is called here."""

from typing import NoReturn

from gluonic.graph.errors import UnknownOperatorError, describe, nearest

_INSTEAD = {
    "AvgPool2d": "nn.AvgPool2D",
    "BatchNorm1d": "nn.BatchNorm",
    "BatchNorm2d": "nn.BatchNorm",
    "CrossEntropyLoss": "gluon.loss.SoftmaxCrossEntropyLoss",
    "GRU": "gluon.rnn.GRU",
    "GRUCell": "gluon.rnn.GRUCell",
    "LSTM": "gluon.rnn.LSTM",
    "LSTMCell": "gluon.rnn.LSTMCell",
    "Linear": "nn.Dense",
    "MSELoss": "gluon.loss.L2Loss",
    "Module": "gluon.HybridBlock",
    "ModuleList": "nn.HybridSequential",
    "RNN": "gluon.rnn.RNN",
    "RNNCell": "gluon.rnn.RNNCell",
    "ReLU": "nn.Activation('relu')",
    "Sigmoid": "nn.Activation('sigmoid')",
    "Softmax": "nn.HybridLambda('softmax')",
    "Tanh": "nn.Activation('tanh')",
}


def refuse(module: str, name: str, known: list[str]) -> NoReturn:
    """Raise the error for a name that a module of layers does not have."""
    if name.startswith("_"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    instead = _INSTEAD.get(name, "")
    raise UnknownOperatorError(
        describe(
            f"{module} has no {name!r}{'' if instead else nearest(name, known)}",
            hint=instead,
        )
    )
