"""Operators written in Python with custom derivatives, compatible with MinPy 0.3.

    from gluonic.minpy import customop, grad, grad_and_loss

A function under ``@customop("numpy")`` becomes an operator on NDArrays and Symbols; `def_grad` gives it
derivatives. `gluonic.minpy.core` and `gluonic.minpy.primitive` correspond to MinPy's modules of these names.
"""

from gluonic.minpy.core import grad, grad_and_loss
from gluonic.minpy.primitive import NoGradientFuncError, Primitive, customop

__all__ = ["NoGradientFuncError", "Primitive", "customop", "grad", "grad_and_loss"]
