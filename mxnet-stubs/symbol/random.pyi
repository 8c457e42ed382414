"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.symbol.random import *
from gluonic.symbol.random import (
    exponential_like as exponential_like,
    gamma_like as gamma_like,
    generalized_negative_binomial_like as generalized_negative_binomial_like,
    multinomial as multinomial,
    negative_binomial_like as negative_binomial_like,
    normal_like as normal_like,
    poisson_like as poisson_like,
    randint as randint,
    randn as randn,
    shuffle as shuffle,
    uniform_like as uniform_like,
)
