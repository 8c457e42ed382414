"""All operators, one file per family. Importing this package fills the registry."""

import importlib
import pkgutil

from gluonic.graph.operator import REGISTRY
from gluonic.support.gc_pause import paused

with paused():
    # Packages last: their operators are derived from those before.
    for _module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.ispkg):
        importlib.import_module(f"{__name__}.{_module.name}")

# The operators that MXNet also has in `nd.sparse` and `sym.sparse`, where they take dense arrays as well.
_SPARSE = """
ElementWiseSum Embedding FullyConnected LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput
_contrib_round_ste _contrib_sign_ste abs adam_update add_n arccos arccosh arcsin arcsinh arctan arctanh
broadcast_add broadcast_div broadcast_minus broadcast_mul broadcast_plus broadcast_sub cast_storage cbrt ceil
clip concat cos cosh degrees dot elemwise_add elemwise_div elemwise_mul elemwise_sub exp expm1 fix floor
ftrl_update gamma gammaln log log10 log1p log2 make_loss mean negative norm radians relu rint round rsqrt
sgd_mom_update sgd_update sigmoid sign sin sinh slice sqrt square stop_gradient sum tan tanh trunc where
zeros_like
"""
for _name in _SPARSE.split():
    REGISTRY.alias(f"_sparse_{_name}", _name)

# As MXNet's, the gradient of `_contrib_gradientmultiplier` multiplies.
REGISTRY.alias("_contrib_backward_gradientmultiplier", "_mul_scalar")
