"""Extended dense layers: with fused activations, or a weight packed once for several layers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.semantics import function_of
from gluonic.codegen.lowerings.entry import lower
from gluonic.graph import Application, Array, Operator
from gluonic.graph.ops.dense import fully_connected
from gluonic.graph.view import NodeView

_MOST_STEPS = 8


def _extended(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    packed: Array | None = None,
    *,
    then: str,
    is_packed: bool,
) -> Any:
    """A dense layer, element-wise functions of its output, and its packed weight."""
    raise AssertionError("run by `Extended`")


class Extended(Application):
    """A dense layer with functions that are applied to its output, and perhaps a packed weight.

    Attributes
    ----------
    dense : the layer
    then : the functions, in order of application
    is_packed : whether the last input is the packed weight
    """

    __slots__ = ("dense", "is_packed", "then")

    def __init__(
        self, dense: Application, then: Sequence[Application] = (), *, is_packed: bool = False
    ) -> None:
        self.dense, self.then, self.is_packed = dense, tuple(then), is_packed
        own = {"then": self.name, "is_packed": is_packed}
        super().__init__(_operator(dense), {**dense.settings, **own})

    @classmethod
    def of(cls, application: Application) -> "Extended | None":
        """A dense layer as an extended layer without functions; None for any other operator."""
        if isinstance(application, Extended):
            return application
        return cls(application) if application.op is fully_connected else None

    @property
    def name(self) -> str:
        """The name that identifies the functions."""
        return repr([(f.op.name, sorted(f.settings.items())) for f in self.then])

    def execute(self, arrays: Sequence[Array], run: Any) -> tuple[Any, ...]:
        """Run the kernels."""
        (result,) = self.dense.execute(arrays[: len(self.dense.inputs)], run)
        for function in self.then:
            (result,) = function.execute([np.asarray(result)], run)
        return (result,)

    def expression(self, m: Any, x: Any) -> Any:
        """The functions, applied to one element."""
        for function in self.then:
            made = function_of(function)
            assert made is not None
            x = made(m, x)
        return x


def _operator(dense: Application) -> Operator:
    """The operator of extended layers, with the shapes of dense layers."""
    plain = dense.op

    def shape(n: NodeView) -> None:
        assert plain.shape is not None
        plain.shape(n)

    def dtype(n: NodeView) -> None:
        n.output = n.data

    return Operator("_extended", _extended, absent=_absent, shape=shape, dtype=dtype)


def _absent(n: Any) -> tuple[str, ...]:
    missing = {"bias": n.no_bias, "packed": not n.is_packed}
    return tuple(name for name, is_missing in missing.items() if is_missing)


lower("_extended", product="matmul.product:extended")
