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
REFUSED = frozenset(_OF_MX_ND.split())


class _Refused:
    """The replacement of a missing method: access raises an error."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, array: Any, kind: type) -> Any:
        if array is None:
            return self
        raise refusal(self.name, array)


def refusal(name: str, array: Any) -> AttributeError:
    """The error that names the substitute of a method."""
    return AttributeError(
        describe(
            f"an array of mx.np has no attribute {name!r}",
            hint=f"mx.np.{name}(x) or mx.npx.{name}(x), or x.as_nd_ndarray().{name}(…)",
        ),
        name=name,
        obj=array,
    )


def refuse_methods(kind: type) -> None:
    """Remove inherited methods from a class, as in MXNet."""
    for name in REFUSED:
        setattr(kind, name, _Refused(name))
