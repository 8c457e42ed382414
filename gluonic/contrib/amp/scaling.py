"""Training with a scaled loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gluonic.contrib.amp.loss_scaler import LossScaler
from gluonic.gluon.trainer import Trainer
from gluonic.graph.errors import describe


def attach(trainer: Any, scaler: LossScaler) -> None:
    """Let a trainer skip steps with gradients that overflow."""
    _require_trainer(trainer)
    trainer._amp_loss_scaler = scaler
    trainer._amp_original_scale = trainer._scale


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Any) -> Iterator[Any]:
    """Multiply a loss, or several, by the scale; `Trainer.step` divides the gradients by it.

    Parameters
    ----------
    loss : an array or a list
    optimizer_or_trainer : a trainer that `init_trainer` has seen

    Raises
    ------
    AssertionError
        if it has not

    Examples
    --------
    with autograd.record():
        loss = …
        with amp.scale_loss(loss, trainer) as scaled:
            autograd.backward(scaled)
    trainer.step(batch_size)
    """
    trainer = optimizer_or_trainer
    _require_trainer(trainer)
    scaler = trainer._amp_loss_scaler
    if scaler is None:
        raise AssertionError(
            describe(
                "the trainer has no loss scaler",
                where="scale_loss",
                hint="amp.init_trainer(trainer)",
            )
        )
    trainer._scale = trainer._amp_original_scale / scaler.loss_scale
    if isinstance(loss, (list, tuple)):
        yield [one * scaler.loss_scale for one in loss]
    else:
        yield loss * scaler.loss_scale


def unscale(optimizer_or_trainer: Any) -> None:
    """Divide the gradients by the scale now, to clip them, say; the next step does not do it again.

    Parameters
    ----------
    optimizer_or_trainer : a trainer
    """
    _require_trainer(optimizer_or_trainer)
    for param in optimizer_or_trainer._params:
        if param.grad_req != "null":
            for gradient in param.list_grad():
                gradient[:] *= optimizer_or_trainer._scale
    optimizer_or_trainer._scale = 1.0


def _require_trainer(trainer: Any) -> None:
    if not isinstance(trainer, Trainer):
        raise TypeError(
            describe(
                f"takes a gluon.Trainer, not a {type(trainer).__name__}",
                where="amp",
                hint="gluon.Trainer(params, optimizer); optimizers alone do not skip steps",
            )
        )
