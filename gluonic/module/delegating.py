"""Modules that delegate their steps to the current one of several modules."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from gluonic.module.base import BaseModule
from gluonic.module.interface import ModuleInterface


def _step(name: str) -> Any:
    """A step that is delegated to the current module."""
    like: Callable[..., Any] = getattr(ModuleInterface, name)

    @wraps(like)
    def step(self: "DelegatingModule", *arguments: Any, **options: Any) -> Any:
        self.require("binded", "params_initialized")
        return getattr(self._curr_module, name)(*arguments, **options)

    return step


def _fact(name: str, *flags: str) -> Any:
    """A property of the current module, available after certain steps."""

    def fact(self: "DelegatingModule") -> Any:
        self.require(*flags)
        return getattr(self._curr_module, name)

    return property(fact, doc=getattr(ModuleInterface, name).__doc__)


class DelegatingModule(BaseModule):
    """A module that has others, one of which is current and computes."""

    _curr_module: Any

    symbol = _fact("symbol", "binded")
    data_names = _fact("data_names")
    output_names = _fact("output_names")
    data_shapes = _fact("data_shapes", "binded")
    label_shapes = _fact("label_shapes", "binded")
    output_shapes = _fact("output_shapes", "binded")

    backward = _step("backward")
    get_outputs = _step("get_outputs")
    get_input_grads = _step("get_input_grads")
    get_states = _step("get_states")
    set_states = _step("set_states")
    update_metric = _step("update_metric")
