"""Initializers: the values of parameters before training.

An initializer is called with a description of the parameter and the array to fill. The parameter's
own initializer takes precedence; otherwise the suffix of its name decides: weights are random, biases and
shifts are zero, scales are one.
"""

from gluonic.initializer.base import InitDesc, Initializer, alias, create, register
from gluonic.initializer.choose import Load, Mixed
from gluonic.initializer.fill import (
    Bilinear,
    Constant,
    LSTMBias,
    MSRAPrelu,
    Normal,
    One,
    Orthogonal,
    Uniform,
    Xavier,
    Zero,
)
from gluonic.initializer.fused_rnn import FusedRNN

__all__ = [
    "Bilinear",
    "Constant",
    "FusedRNN",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "alias",
    "create",
    "register",
]
