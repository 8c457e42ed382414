"""Switching mixed precision on."""

import logging
from collections.abc import Iterable
from typing import Any

from gluonic.contrib.amp.dtypes import Condition, lists_for, low_dtype
from gluonic.contrib.amp.loss_scaler import LossScaler
from gluonic.contrib.amp.scaling import attach
from gluonic.graph import REGISTRY, casting
from gluonic.graph.casting import Casting, Kind


class _State:
    """What has been switched on.

    Attributes
    ----------
    scaler : scales losses; the first trainer gets it
    is_taken : whether a trainer has it
    """

    def __init__(self) -> None:
        self.scaler: LossScaler | None = None
        self.is_taken = False


_STATE = _State()


def init(
    target_dtype: Any = "float16",
    target_precision_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    fp32_ops: list[str] | None = None,
) -> None:
    """Compute operators in low precision from now on, where that is safe.

    Inputs are cast where operators are called, eagerly and in blocks that are hybridized afterwards.
    Another call has no effect.

    Parameters
    ----------
    target_dtype : ``"float16"``, or ``"bfloat16"``, which needs `ml_dtypes`
    target_precision_ops : operators computed in `target_dtype`; those of `list_lp16_ops` by default
    conditional_fp32_ops : operators computed in float32 for some values of an attribute:
        (operator, attribute, values); those of `list_conditional_fp32_ops` by default
    fp32_ops : operators computed in float32; those of `list_fp32_ops` by default

    Raises
    ------
    AssertionError
        for another dtype
    AttributeError
        for an operator that does not exist
    """
    if _STATE.scaler is not None:
        return
    lists = lists_for(target_dtype)
    low = low_dtype(target_dtype)
    given: list[tuple[Kind, Iterable[str]]] = [
        ("low", lists.low if target_precision_ops is None else target_precision_ops),
        ("full", lists.full if fp32_ops is None else fp32_ops),
        ("widest", lists.widest),
    ]
    kinds = {_operator(name): kind for kind, names in given for name in names}
    conditional = lists.conditional if conditional_fp32_ops is None else conditional_fp32_ops
    scaler = LossScaler()
    casting.use(
        Casting(
            low,
            kinds,
            {_operator(name): (key, tuple(values)) for name, key, values in conditional},
            {name: frozenset(filter(None, inputs)) for name, inputs in (lists.kept or {}).items()},
            frozenset(lists.losses),
            lambda: scaler.loss_scale,
        )
    )
    _STATE.scaler, _STATE.is_taken = scaler, False
    logging.info("Using AMP")


def _operator(name: str) -> str:
    """The first name of an operator."""
    if name not in REGISTRY:
        raise AttributeError(f"amp.init: there is no operator {name!r}")
    return REGISTRY[name].name


def end() -> None:
    """Switch mixed precision off; blocks that were hybridized meanwhile stay as they are."""
    casting.use(None)
    _STATE.scaler = None


def is_initialized() -> bool:
    """Whether mixed precision is on."""
    return _STATE.scaler is not None


def init_trainer(optimizer_or_trainer: Any) -> None:
    """Make a trainer scale losses dynamically; see `scale_loss`.

    Parameters
    ----------
    optimizer_or_trainer : a `gluon.Trainer`

    Raises
    ------
    AssertionError
        if `init` has not been called
    TypeError
        for anything but a trainer
    """
    if _STATE.scaler is None:
        raise AssertionError("amp.init_trainer: call amp.init() first")
    attach(optimizer_or_trainer, LossScaler() if _STATE.is_taken else _STATE.scaler)
    _STATE.is_taken = True
