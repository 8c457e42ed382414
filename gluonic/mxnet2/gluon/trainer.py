"""``mx.gluon.Trainer`` of MXNet 2.0: that of 1.x, with 2.0's optimizers by name."""

from typing import Any

from gluonic.gluon import trainer
from gluonic.mxnet2 import optimizer as optimizers

__all__ = ["Trainer"]


class TrainerOfTwo(trainer.Trainer):
    """Apply an optimizer to parameters, after every `backward`; see 1.x's `Trainer` for the arguments."""

    def _init_optimizer(self, optimizer: Any, optimizer_params: dict[str, Any]) -> None:
        if isinstance(optimizer, str):
            optimizer, optimizer_params = optimizers.create(optimizer, **optimizer_params), {}
        super()._init_optimizer(optimizer, optimizer_params)


Trainer = TrainerOfTwo
Trainer.__name__ = Trainer.__qualname__ = "Trainer"
