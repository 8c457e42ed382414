"""The base of optimizers: counts of updates, learning rates, weight decays, half precision."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar, TypeVar

import numpy as np

from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.dtypes import is_half_width
from gluonic.graph.errors import AttributeValueError, describe, nearest, warn
from gluonic.graph.memory import allocated, allocating, converted
from gluonic.graph.scalar_math import M
from gluonic.graph.versions import write
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.placing import on_devices, placed
from gluonic.optimizer.counts import CountsUpdates
from gluonic.optimizer.lazy import is_stored, state_like, update_stored
from gluonic.registry import enter

_Class = TypeVar("_Class", bound=type)


class Optimizer(CountsUpdates, CheckedArguments):
    """The base of all optimizers; a new one overrides `create_state` and `update`.

    Parameters
    ----------
    rescale_grad : a factor on gradients, usually 1 / batch size
    param_idx2name : the names of parameters by index
    wd : the weight decay
    clip_gradient : the bound on the absolute value of gradients; None for none
    learning_rate : 0.01 by default
    lr_scheduler : computes the learning rate from the number of updates; `learning_rate`, if given,
        replaces its `base_lr`
    sym : a Symbol with the attributes ``__lr_mult__`` and ``__wd_mult__``
    begin_num_update : the initial number of updates
    multi_precision : keep a float32 copy of weights in float16 or bfloat16, and update that
    param_dict : gluon parameters by index; their `lr_mult` and `wd_mult` are used

    Attributes
    ----------
    num_update : the largest number of updates of a parameter
    lr, wd, lr_scheduler, rescale_grad, clip_gradient, multi_precision, param_dict : as above
    lr_mult, wd_mult : factors on learning rate and weight decay, by index or name
    allow_np_array : whether Gluon worked on arrays of `mx.np` when the optimizer was created; it always
        receives arrays of `mx.nd`
    """

    opt_registry: ClassVar[dict[str, type["Optimizer"]]] = {}
    _counts_on_new_devices: Mapping[Any, int] = MappingProxyType({})  # those that were loaded
    _master_last: ClassVar[bool] = False  # the order of (float32 weight, own state)

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[int, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: Any = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[int, Any] | None = None,
    ) -> None:
        self.rescale_grad, self.wd, self.clip_gradient = rescale_grad, wd, clip_gradient
        self.lr_scheduler = lr_scheduler
        self.lr = learning_rate
        if lr_scheduler is None:
            self.lr = 0.01 if learning_rate is None else learning_rate
        elif learning_rate is not None and lr_scheduler.base_lr != learning_rate:
            warn(
                f"learning_rate={learning_rate} replaces the scheduler's base_lr="
                f"{lr_scheduler.base_lr}"
            )
            lr_scheduler.base_lr = learning_rate
        self.begin_num_update = self.num_update = begin_num_update
        self._all_index_update_counts: dict[int, dict[Any, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.multi_precision = multi_precision
        self.aggregate_num = 0
        self.allow_np_array = is_np_array()
        self.idx2name = dict(param_idx2name or {})
        self.sym_info = () if sym is None else (sym.attr_dict(), sym.list_arguments())
        self.param_dict: Mapping[Any, Any] = param_dict or {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Register a class under its name in lower case; a decorator."""
        enter(Optimizer.opt_registry, klass, "optimizer")
        return klass

    @staticmethod
    def create_optimizer(name: str, **kwargs: Any) -> "Optimizer":
        """Make an optimizer by name.

        Raises
        ------
        ValueError
            if there is no optimizer with that name
        """
        found = Optimizer.opt_registry.get(name.lower())
        if found is None:
            known = sorted(Optimizer.opt_registry)
            raise AttributeValueError(
                describe(
                    f"there is no optimizer {name!r}{nearest(name.lower(), known)}",
                    facts=[f"there are {', '.join(known)}"],
                )
            )
        return found(**kwargs)

    # Learning rates and weight decays

    @property
    def learning_rate(self) -> float:
        """The current learning rate."""
        if self.lr_scheduler is not None:
            return float(self.lr_scheduler(self.num_update))
        assert self.lr is not None
        return self.lr

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        Raises
        ------
        UserWarning
            if a scheduler sets it
        """
        if self.lr_scheduler is not None:
            raise UserWarning(
                "the learning rate comes from lr_scheduler and cannot be set; set its base_lr"
            )
        self.lr = lr

    def set_lr_scale(self, args_lrscale: Any) -> None:
        """Raise an error: `set_lr_mult` replaces it."""
        raise DeprecationWarning("set_lr_scale is gone; use set_lr_mult")

    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Set factors on the learning rate, by index or name."""
        self.lr_mult: dict[Any, float] = {**self._of_symbol("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Set factors on the weight decay, by index or name; else only weights and gammas decay."""
        spared = {name: 0.0 for name in self.idx2name.values() if not self._decays(name)}
        self.wd_mult: dict[Any, float] = {
            **spared,
            **self._of_symbol("__wd_mult__"),
            **args_wd_mult,
        }

    def _decays(self, name: str) -> bool:
        return name.endswith(("_weight", "_gamma"))

    def _of_symbol(self, attribute: str) -> dict[str, float]:
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {
            name: float(attributes[name][attribute])
            for name in names
            if attribute in attributes.get(name, {})
        }

    def _multiplier(self, index: Any, attribute: str) -> float:
        if index in self.param_dict:
            return float(getattr(self.param_dict[index], attribute))
        given: dict[Any, float] = getattr(self, attribute)
        if index in given:
            return given[index]
        return given.get(self.idx2name.get(index), 1.0)

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        return [self.learning_rate * self._multiplier(index, "lr_mult") for index in indices]

    def _get_lr(self, index: Any) -> float:
        return self._get_lrs([index])[0]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        return [self.wd * self._multiplier(index, "wd_mult") for index in indices]

    def _get_wd(self, index: Any) -> float:
        return self._get_wds([index])[0]

    # Counting

    def _set_current_context(self, device_id: int) -> None:
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        for one in index if isinstance(index, (list, tuple)) else (index,):
            self.count_update(one)

    def count_update(self, index: Any) -> int:
        """Count one update of a parameter; return the number so far."""
        counts = self._index_update_count
        before = self._counts_on_new_devices.get(index, self.begin_num_update)
        count = counts[index] = counts.get(index, before) + 1
        if count > self.num_update:
            self.num_update = count
        return count

    # States and updates

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the state for a parameter: None, an array or a tuple of these."""
        return None

    def create_state_multi_precision(self, index: Any, weight: NDArray) -> Any:
        """`create_state`, with a float32 copy of a weight of 16 bits if `multi_precision` is set."""
        if not is_half_width(dtype := np.dtype(weight.dtype)):
            return self.create_state(index, weight)
        if not self.multi_precision:
            warn(
                f"Summing up updates in {dtype.name} loses small ones; "
                "multi_precision=True keeps a float32 copy of the weights"
            )
            return self.create_state(index, weight)
        master = weight.astype(np.float32)
        pair = (master, self.create_state(index, master))
        return pair[::-1] if self._master_last else pair

    def parts_of_state(self, state: Any) -> tuple[NDArray, Any]:
        """The float32 copy of a weight of 16 bits, and what `create_state` returned for it."""
        master, own = reversed(state) if self._master_last else state
        return master, own

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state.

        Parameters
        ----------
        index : the index or name of the parameter
        weight, grad : the weight and its gradient
        state : what `create_state` returned
        """
        raise NotImplementedError(f"{type(self).__name__} must override update")

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """`update`, through the float32 copy if there is one."""
        if isinstance(index, (list, tuple)):
            for one in zip(index, weight, grad, state, strict=True):
                self.update_multi_precision(*one)
        elif self.multi_precision and is_half_width(np.dtype(weight.dtype)):
            master, own = self.parts_of_state(state)
            self.update(index, master, grad.astype(np.float32), own)
            weight[:] = master
        else:
            self.update(index, weight, grad, state)

    def __getstate__(self) -> dict[str, Any]:
        passing = ("param_dict", "_counts_on_new_devices")
        return {name: value for name, value in self.__dict__.items() if name not in passing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "param_dict": {}}
        counts: dict[Any, int] = {}
        for of_device in self._all_index_update_counts.values():
            counts |= {i: max(count, counts.get(i, 0)) for i, count in of_device.items()}
        self._counts_on_new_devices = counts


class RuleOptimizer(Optimizer):
    """An optimizer given by one of the rules of `gluonic.graph.updates`.

    Attributes
    ----------
    rule : the rule
    state_count : number of state arrays of the rule; they start as zeros
    settings : the attributes that the rule reads as numbers
    numbers_advance : whether each call of `numbers_of` returns different numbers
    """

    rule: Callable[..., tuple[Any, ...]]
    state_count: int
    settings: ClassVar[tuple[str, ...]] = ()
    numbers_advance: ClassVar[bool] = False

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return zeros: None, one array, or a tuple."""
        lazy = self._is_lazy(weight)
        made = tuple(zeros_like(weight, lazy) for _ in range(self.state_count))
        return made if len(made) > 1 else made[0] if made else None

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state; lists of all four are accepted, too."""
        if isinstance(index, (list, tuple)):
            for one in zip(index, weight, grad, state, strict=True):
                self.update(*one)
            return
        self._update_count(index)
        states = as_states(state)
        if is_stored(weight, grad, *states):
            self._update_stored(self.numbers_of(index), weight, grad, states)
        else:
            run_rule(self.rule, self.numbers_of(index), weight, grad, states)

    def _update_stored(
        self, numbers: SimpleNamespace, weight: Any, grad: Any, states: list[NDArray]
    ) -> None:
        """Update a weight if it, its gradient or a state is sparse."""
        require_one_shape(weight, grad)
        lazy = self._is_lazy(weight)
        update_stored(self.rule, numbers, weight, grad, states, lazy=lazy)

    def _is_lazy(self, weight: NDArray) -> bool:
        """Whether to skip the rows that a row_sparse gradient does not store."""
        return False

    def numbers_of(self, index: Any) -> SimpleNamespace:
        """Return the numbers that the rule reads for a counted update of a parameter."""
        numbers = SimpleNamespace(
            lr=self._get_lr(index),
            wd=self._get_wd(index),
            rescale=self.rescale_grad,
            clip=self.clip_gradient or None,
        )
        for name in self.settings:
            setattr(numbers, name, getattr(self, name))
        self._adjust(numbers, self._index_update_count[index])
        for name, value in vars(numbers).items():
            if value is not None and type(value) is not float:
                setattr(numbers, name, float(value))
        return numbers

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        """Add or change numbers for the `t`-th update of the parameter."""


def zeros_like(weight: NDArray, lazy: bool = False) -> NDArray:
    """Create zeros of the weight's shape, dtype and context; of its storage type, if updates are lazy."""
    if is_stored(weight):
        return state_like(weight, lazy)
    zeros = allocated(np.zeros, weight.shape, np.dtype(weight.dtype), "a state of the optimizer")
    return placed(zeros, weight.context)


def as_states(state: Any) -> list[NDArray]:
    """Return the arrays of a state as a list."""
    if state is None:
        return []
    return [state] if isinstance(state, NDArray) else list(state)


def require_one_shape(weight: NDArray, grad: NDArray) -> None:
    """Raise an error for a gradient whose shape is not the weight's."""
    if weight.shape != grad.shape:
        raise AttributeValueError(
            describe(
                "the gradient must have the weight's shape",
                where="optimizer",
                facts=[f"weight: {weight.shape}", f"gradient: {grad.shape}"],
            )
        )


def run_rule(
    rule: Callable[..., tuple[Any, ...]],
    numbers: SimpleNamespace,
    weight: NDArray,
    grad: NDArray,
    states: Sequence[NDArray],
) -> None:
    """Run a rule on whole arrays and write the new weight and states in place."""
    require_one_shape(weight, grad)
    run_rule_on_all(rule, [numbers], [(weight, grad, *states)])


def run_rule_on_all(
    rule: Callable[..., tuple[Any, ...]],
    numbers: Sequence[SimpleNamespace],
    members: Sequence[Sequence[NDArray]],
) -> None:
    """Run a rule on the weight, the gradient and the states of each parameter, and write the new ones in place.

    Numbers of 16 bits are computed in float32, so that small numbers such as `epsilon` survive.
    """
    with allocating("an update of a parameter"), np.errstate(all="ignore"):
        for own, (weight, grad, *states) in zip(numbers, members, strict=True):
            if weight.on_device:
                on_devices().RulesOnDevice(rule, [(weight, grad, *states)])([own])
                continue
            arrays = [x.elements for x in (weight, grad, *states)]
            if is_half_width(arrays[0].dtype):
                arrays = [converted(x, np.float32, "an update in float32") for x in arrays]
            results = rule(M, own, *arrays)
            targets = weight, *states
            for target, value in zip(targets[::-1], results[::-1], strict=True):
                write(target.elements, value)  # the weight last: a state may be its old value


register = Optimizer.register
create = Optimizer.create_optimizer
