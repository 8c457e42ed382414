"""``mx.gluon.Trainer`` of MXNet 2.0: that of 1.x, with 2.0's optimizers by name."""

from collections.abc import Mapping
from typing import Any

from gluonic.gluon import trainer
from gluonic.mxnet2 import optimizer as optimizers

__all__ = ["Trainer"]


class TrainerOfTwo(trainer.Trainer):
    """Apply an optimizer to parameters, after every `backward`; see 1.x's `Trainer` for the arguments.

    A parameter that has several places in a net is updated once.
    """

    def __init__(self, params: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(params, Mapping):
            params = [params[place] for place in sorted(params)]
        super().__init__(list(dict.fromkeys(params)), *args, **kwargs)

    def _init_optimizer(self, optimizer: Any, optimizer_params: dict[str, Any]) -> None:
        if isinstance(optimizer, str):
            optimizer, optimizer_params = optimizers.create(optimizer, **optimizer_params), {}
        super()._init_optimizer(optimizer, optimizer_params)


Trainer = TrainerOfTwo
TrainerOfTwo.__name__ = TrainerOfTwo.__qualname__ = "Trainer"
