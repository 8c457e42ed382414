"""Training with a scaled loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gluonic.contrib.amp.loss_scaler import LossScaler
from gluonic.gluon.trainer import Trainer
from gluonic.graph.errors import describe


def attach(trainer: Any, scaler: LossScaler) -> None:
    """Make a trainer skip steps with gradients that overflow."""
    _require_trainer(trainer)
    trainer.use_loss_scaler(scaler)


@contextmanager
def scale_loss(loss: Any, optimizer_or_trainer: Any) -> Iterator[Any]:
    """Multiply a loss, or several, by the scale; `Trainer.step` divides the gradients by it.

    Parameters
    ----------
    loss : an array or a list
    optimizer_or_trainer : a trainer that was passed to `init_trainer`

    Raises
    ------
    AssertionError
        if it has not

    Examples
    --------
    ::

        with autograd.record():
            loss = …
            with amp.scale_loss(loss, trainer) as scaled:
                autograd.backward(scaled)
        trainer.step(batch_size)
    """
    trainer = optimizer_or_trainer
    _require_trainer(trainer)
    if trainer.find_loss_scaler() is None:
        raise AssertionError(
            describe(
                "the trainer has no loss scaler",
                where="scale_loss",
                hint="amp.init_trainer(trainer)",
            )
        )
    scale = trainer.expect_scaled_loss()
    if isinstance(loss, (list, tuple)):
        yield [one * scale for one in loss]
    else:
        yield loss * scale


def unscale(optimizer_or_trainer: Any) -> None:
    """Divide the gradients by the scale now, for example to clip them; the next step does not repeat it.

    Parameters
    ----------
    optimizer_or_trainer : a trainer
    """
    _require_trainer(optimizer_or_trainer)
    optimizer_or_trainer.unscale_gradients()


def _require_trainer(trainer: Any) -> None:
    if not isinstance(trainer, Trainer):
        raise TypeError(
            describe(
                f"takes a gluon.Trainer, not a {type(trainer).__name__}",
                where="amp",
                hint="gluon.Trainer(params, optimizer); optimizers alone do not skip steps",
            )
        )
