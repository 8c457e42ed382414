"""The errors of a `Trainer` for arguments and gradients that it cannot use."""

from collections.abc import Iterable, Mapping
from typing import Any

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.trained import Trained
from gluonic.graph.errors import MXNetError, describe


class StaleGradientError(MXNetError, UserWarning):
    """Gradients have not been computed since the last step; MXNet raises a `UserWarning`."""


class OptimizerSettingsError(MXNetError, AssertionError):
    """An optimizer object was given together with settings for a new one."""


class EmptyBatchError(MXNetError, ZeroDivisionError):
    """Gradients cannot be divided by a batch size of 0."""


def checked_parameters(params: Any) -> list[Parameter]:
    """The parameters given to a trainer, in its order."""
    if isinstance(params, Mapping):
        params = [params[name] for name in sorted(params)]
    if not isinstance(params, (list, tuple)):
        is_block = hasattr(params, "collect_params")
        raise ValueError(
            describe(
                f"params must be a dictionary or list of Parameters, not {type(params).__name__}",
                where="Trainer",
                hint="net.collect_params()"
                if is_block
                else "net.collect_params(), or a list of them",
            )
        )
    for param in params:
        if not isinstance(param, Parameter):
            raise ValueError(
                f"Trainer: params must hold Parameters, not a {type(param).__name__}: {param!r}"
            )
    return list(params)


def stale_gradients(by_context: Iterable[Iterable[Trained]]) -> StaleGradientError:
    """The error that names parameters whose gradients are not from the last `backward`."""
    stale = [
        f"{t.param.name} on {t.array.context}"
        for trained in by_context
        for t in trained
        if t.leaf is None or not t.leaf.fresh
    ]
    return StaleGradientError(
        describe(
            "gradients have not been computed by backward() since the last step",
            where="Trainer",
            facts=stale,
            hint="call backward() before step(); if the loss does not depend on these parameters, "
            "step(…, ignore_stale_grad=True), or grad_req='null' for them",
        )
    )
