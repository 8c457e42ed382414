"""The errors of parameters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.graph.errors import CallError, MismatchError, MXNetError, describe

if TYPE_CHECKING:
    from gluonic.gluon.parameter_values import ParameterValues
    from gluonic.ndarray import Context, NDArray


class DeferredInitializationError(MXNetError):
    """A parameter's value was requested before its shape was known."""


class UninitializedError(MXNetError, AssertionError, ValueError):
    """A parameter was used before its initialization; MXNet's `reset_ctx` raises a ValueError."""


def _title(parameter: "ParameterValues") -> str:
    return f"Parameter {parameter.name!r}"


def no_storage_type(name: str, kind: str, value: str) -> MismatchError:
    """`stype` or `grad_stype` is not a storage type."""
    return MismatchError(
        describe(
            f"{kind}={value!r} is no storage type",
            where=f"Parameter {name!r}",
            hint=f"{kind}='default'",
        )
    )


def other_shape(parameter: "ParameterValues", shape: Sequence[int]) -> MismatchError:
    """A shape contradicts the declared one."""
    return MismatchError(
        describe(
            f"the shape {tuple(shape)} does not fit the declared shape {parameter.declared_shape}",
            where=_title(parameter),
        )
    )


def unknown_request(
    parameter: "ParameterValues", request: str, known: Sequence[str]
) -> MismatchError:
    """`grad_req` is not a gradient request."""
    return MismatchError(
        describe(f"grad_req={request!r} must be one of {', '.join(known)}", where=_title(parameter))
    )


def unknown_shape(parameter: "ParameterValues", *, may_wait: bool) -> MXNetError:
    """The shape is unknown; `may_wait` tells whether deferring was allowed."""
    waits = "in_units=, in_channels= … of the layer, or one batch through the net"
    kind = MXNetError if may_wait else CallError
    return kind(
        describe(
            f"cannot be initialized: its shape {parameter.declared_shape} is not known",
            where=_title(parameter),
            hint=waits if may_wait else "give the whole shape, or allow_deferred_init=True",
        )
    )


def shape_in_file(parameter: "ParameterValues", value: "NDArray") -> MismatchError:
    """A file holds a value of another shape."""
    return MismatchError(
        describe(
            f"the file holds the shape {value.shape}, the net needs {parameter.declared_shape}",
            where=_title(parameter),
            hint="build the net as it was when the file was written",
        )
    )


def dtype_in_file(
    parameter: "ParameterValues", value: "NDArray", needed: "np.dtype[Any]"
) -> MismatchError:
    """A file holds a value of another dtype."""
    return MismatchError(
        describe(
            f"the file holds {np.dtype(value.dtype).name}, the net needs {needed.name}",
            where=_title(parameter),
            hint="cast_dtype=True, or net.cast(dtype) before loading",
        )
    )


def unknown_dtype_source(parameter: "ParameterValues", source: str) -> MismatchError:
    """`dtype_source` is neither of its two values."""
    return MismatchError(
        describe(f"dtype_source={source!r} must be 'current' or 'saved'", where=_title(parameter))
    )


def loaded_elsewhere(parameter: "ParameterValues", wanted: "Sequence[Context]") -> MismatchError:
    """A value is to be loaded on other contexts than those where the parameter is."""
    return MismatchError(
        describe(
            f"is on {parameter.list_ctx()}; its value is to be loaded on {list(wanted)}",
            where=_title(parameter),
            hint="no ctx, or net.collect_params().reset_ctx(…) before loading",
        )
    )


def other_context(parameter: "ParameterValues", wanted: "Context") -> MXNetError:
    """The parameter is not on the context for which its value was requested."""
    contexts = parameter.list_ctx()
    return MXNetError(
        describe(
            f"is on {contexts}, not on {wanted}",
            where=_title(parameter),
            hint=f"x.as_in_context({contexts[0]}) for the input, or net.initialize(ctx=[…]) or "
            "net.collect_params().reset_ctx(…) for the parameters",
        )
    )


def uninitialized(parameter: "ParameterValues") -> UninitializedError:
    """The parameter has no value."""
    return UninitializedError(
        describe(
            "has not been initialized",
            where=_title(parameter),
            facts=[f"declared shape: {parameter.declared_shape}"],
            hint="net.initialize(), or net.load_parameters(file); a parameter that it leaves out "
            "belongs to no registered child (lists of blocks are not registered)",
        )
    )


def still_deferred(parameter: "ParameterValues") -> DeferredInitializationError:
    """The parameter has no value yet, for its shape is not known."""
    return DeferredInitializationError(
        describe(
            "has not been initialized yet: its shape waits for the first batch",
            where=_title(parameter),
            facts=[f"declared shape: {parameter.declared_shape} (0 is unknown)"],
            hint="one batch through the net first, or in_units=, in_channels= … in the layer",
        )
    )


def no_gradient(parameter: "ParameterValues", grad_req: str) -> MXNetError:
    """The parameter's gradient is not computed."""
    return MXNetError(
        describe(
            f"has no gradient, for its grad_req is {grad_req!r}",
            where=_title(parameter),
            hint="grad_req='write' (or 'add') for what is to be trained",
        )
    )


def no_trainer(parameter: "ParameterValues") -> MXNetError:
    """Rows of a row_sparse parameter were requested before a trainer held them."""
    return MXNetError(
        describe(
            "its rows are available only once a Trainer keeps it",
            where=_title(parameter),
            hint="gluon.Trainer(net.collect_params(), …) first",
        )
    )


def not_row_sparse(parameter: "ParameterValues", instead: str) -> MXNetError:
    """Rows of a parameter that is not row_sparse were requested."""
    return MXNetError(describe("it is not row_sparse", where=_title(parameter), hint=instead))


def only_rows(parameter: "ParameterValues") -> MXNetError:
    """The whole of a sparse parameter was requested."""
    return MXNetError(
        describe(
            "its storage type is row_sparse: only its rows are available",
            where=_title(parameter),
            hint="row_sparse_data(row_id) in the forward of a Block",
        )
    )


def other_trainer(parameter: "ParameterValues") -> MXNetError:
    """A second trainer was given to a parameter whose rows the first one holds."""
    return MXNetError(
        describe(
            "it is sparse and has a Trainer already; another one cannot update it",
            where=_title(parameter),
        )
    )
