"""The methods of `mx.nd`'s arrays and `mx.sym`'s symbols that those of `mx.np` do not have."""

from typing import Any

from gluonic.graph.errors import describe

_OF_MX_ND = """
abs arccos arccosh arcsin arcsinh arctan arctanh argmax_channel asscalar broadcast_axes broadcast_like
cbrt ceil cos cosh degrees depth_to_space diag exp expand_dims expm1 fix flip floor log log10 log1p log2
log_softmax nanprod nansum norm one_hot ones_like pad pick radians rcbrt reciprocal relu reshape_like rint
rsqrt shape_array sigmoid sign sin sinh size_array slice slice_assign slice_assign_scalar slice_axis
slice_like softmax softmin space_to_depth split split_v2 sqrt square tan tanh tile topk tostype trunc
zeros_like
"""


class _Refused:
    """In the place of a method that is not there: asking for it raises."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, array: Any, kind: type) -> Any:
        if array is None:
            return self
        raise AttributeError(
            describe(
                f"an array of mx.np has no attribute {self.name!r}",
                hint=f"mx.np.{self.name}(x) or mx.npx.{self.name}(x), or x.as_nd_ndarray().{self.name}(…)",
            ),
            name=self.name,
            obj=array,
        )


def refuse_methods(kind: type) -> None:
    """Let a class not have the methods that it inherits, as in MXNet."""
    for name in _OF_MX_ND.split():
        setattr(kind, name, _Refused(name))
