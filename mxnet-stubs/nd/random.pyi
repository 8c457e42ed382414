"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.ndarray.random import *
from gluonic.ndarray.random import (
    exponential as exponential,
    gamma as gamma,
    generalized_negative_binomial as generalized_negative_binomial,
    multinomial as multinomial,
    negative_binomial as negative_binomial,
    normal as normal,
    poisson as poisson,
    randint as randint,
    randn as randn,
    shuffle as shuffle,
    uniform as uniform,
)
