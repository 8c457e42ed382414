"""`Block`: a layer or a net, made of parameters and of other blocks."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Self

from gluonic import initializer
from gluonic.gluon.arguments import explain_call
from gluonic.gluon.array_classes import check_of_numpy
from gluonic.gluon.hooks import HookHandle, Hooks
from gluonic.gluon.naming import BlockScope, name_block
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.parameter_files import ParameterFiles
from gluonic.gluon.summary import print_summary
from gluonic.gluon.tracing import TRACING
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import (
    CallError,
    InferenceError,
    MismatchError,
    MXNetError,
    describe,
    warn,
)
from gluonic.graph.events import EVENTS
from gluonic.support.lazy_import import import_later


class UnreadyBlockError(MXNetError, AttributeError):
    """A child or a parameter was set before ``super().__init__()`` was called."""


_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
_OWN_CONTAINERS = frozenset({"_children", "_reg_params", "_flags", "_formats"})
_CONTAINERS = (list, tuple, dict)
_BlockScope = BlockScope  # the name that programs written for MXNet import
# they import all kinds of blocks from here
__getattr__, __dir__ = import_later(
    __name__,
    {
        "HybridBlock": "gluonic.gluon.hybrid:HybridBlock",
        "SymbolBlock": "gluonic.gluon.symbol_block:SymbolBlock",
    },
)


class Block(ParameterFiles, CheckedArguments):
    """The base of all layers and nets. Blocks and parameters set as attributes are registered with it.

    Parameters
    ----------
    prefix : put before the names of its parameters and children; numbered by its class by default
    params : parameters to share, another block's `params`
    """

    _empty_prefix: bool
    _prefix: str
    _params: ParameterDict
    _name: str
    _scope: BlockScope
    _children: dict[str, "Block"]
    _reg_params: dict[str, Parameter]
    _forward_hooks: Hooks
    _forward_pre_hooks: Hooks

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        own_prefix, own_params = self._named(prefix, params)
        # not by `__setattr__`, which takes most of the time in which a net of many blocks is made
        self.__dict__.update(
            _empty_prefix=prefix == "",
            _prefix=own_prefix,
            _params=own_params,
            _name=own_prefix.removesuffix("_"),
            _scope=BlockScope(self),
            _children={},
            _reg_params={},
            _forward_hooks=Hooks(self._hooks_changed),
            _forward_pre_hooks=Hooks(self._hooks_changed),
        )

    def __repr__(self) -> str:
        lines = [
            f"  ({key}): {_indented(repr(value))}"
            for key, value in self.__dict__.items()
            if isinstance(value, Block)
        ]
        body = "\n".join(lines)
        return f"{type(self).__name__}(\n{body}\n)"

    def __setattr__(self, name: str, value: Any) -> None:
        existing = self.__dict__.get(name)
        if isinstance(existing, (Parameter, Block)) and not isinstance(value, type(existing)):
            raise CallError(
                describe(
                    f"is a {type(existing).__name__} and cannot become a {type(value).__name__}",
                    where=f"{type(self).__name__}.{name}",
                    hint="another name for the attribute, or delete the old one first: "
                    "parameters and files follow the attributes",
                )
            )
        if isinstance(value, Block):
            self._check_ready(name)
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            self._check_ready(name)
            if name in self._reg_params:
                raise MismatchError(
                    describe(
                        "is a parameter already",
                        where=f"{type(self).__name__}.{name}",
                        hint="to share parameters, params= when making the block",
                    )
                )
            self._reg_params[name] = value
        elif name in _HOOKS and not isinstance(value, Hooks):
            value = Hooks(self._hooks_changed, value)
            self._hooks_changed()
        object.__setattr__(self, name, value)

    def _check_ready(self, name: str) -> None:
        if "_reg_params" not in self.__dict__:
            raise UnreadyBlockError(
                describe(
                    f"self.{name} is set before the block is made",
                    where=type(self).__name__,
                    hint="super().__init__(**kwargs) first in __init__",
                )
            )

    def _alias(self) -> str:
        return type(self).__name__.lower()

    def _named(self, prefix: str | None, params: ParameterDict | None) -> tuple[str, ParameterDict]:
        """The block's full prefix, and the dictionary for its parameters."""
        return name_block(prefix, params, self._alias())

    # Names and parameters

    @property
    def prefix(self) -> str:
        """The prefix of the names of parameters and children."""
        return self._prefix

    @property
    def name(self) -> str:
        """The prefix without its last underscore."""
        return self._name

    def name_scope(self) -> BlockScope:
        """Return the scope in which children are made: ``with self.name_scope():``."""
        return self._scope

    @property
    def params(self) -> ParameterDict:
        """The block's own parameters, without its children's."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of the block and all its children.

        Parameters
        ----------
        select : only those whose full name begins with a match of this regular expression
        """
        self._check_container_with_block()
        collected = ParameterDict(self._params.prefix)
        pattern = re.compile(select) if select else None
        own = self._params.items()
        collected.update({n: p for n, p in own if pattern is None or pattern.match(n)})
        for child in self._children.values():
            collected.update(child.collect_params(select))
        return collected

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """The parameters by their position in the structure: ``0.weight``, ``body.1.bias``."""
        prefix = prefix + "." if prefix else ""
        collected = {prefix + name: parameter for name, parameter in self._reg_params.items()}
        for name, child in self._children.items():
            collected.update(child._collect_params_with_prefix(prefix + name))
        return collected

    def _check_container_with_block(self) -> None:
        children = set(self._children.values())
        for name, value in self.__dict__.items():
            if name in _OWN_CONTAINERS or not isinstance(value, _CONTAINERS):
                continue
            if any(block not in children for block in _blocks_in(value)):
                warn(
                    f"{type(self).__name__}.{name} holds blocks that are not registered, so their "
                    "parameters are not collected: use nn.Sequential, or register_child()"
                )

    def register_child(self, block: "Block", name: str | None = None) -> None:
        """Make another block a child of this one."""
        self._children[str(len(self._children)) if name is None else name] = block

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize the parameters of the block and its children.

        Parameters
        ----------
        init : the initializer for parameters without one of their own; `Uniform` by default
        ctx : the context or contexts
        verbose : print the initializer of each parameter
        force_reinit : initialize parameters again that are initialized already
        """
        init = initializer.Uniform() if init is None else init
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to another dtype."""
        for child in self._children.values():
            child.cast(dtype)
        for parameter in self._params.values():
            parameter.cast(dtype)

    # Calling

    def __call__(self, *args: Any) -> Any:
        """Run the block: hooks before, `forward`, hooks after."""
        if self._forward_pre_hooks and not TRACING.depth:
            for hook in list(self._forward_pre_hooks.values()):
                hook(self, args)
        try:
            forward = self.forward
            if EVENTS.imperative:
                forward = EVENTS.in_block(self.name, forward)
            out = forward(*args)
        except MXNetError as error:
            self._tell_where(error)
            raise
        except TypeError:
            self._check_call(args)
            raise
        if self._forward_hooks and not TRACING.depth:
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        if is_np_array():
            check_of_numpy(self, out)
        return out

    def _hooks_changed(self) -> None:
        """Update the block after a change of its hooks."""

    def _tell_where(self, error: MXNetError) -> None:
        """Add this block to an error's path of blocks."""
        if error.blocks[:1] == [self.name]:
            return
        if not error.blocks and isinstance(error, InferenceError) and self._reg_params:
            described = ", ".join(f"{p.name} {p.shape}" for p in self._reg_params.values())
            error.facts.append(f"parameters of {self.name}: {described}")
        error.blocks.insert(0, self.name)

    def _check_call(self, args: tuple[Any, ...]) -> None:
        explain_call(type(self).__name__, self.forward, args)

    def forward(self, *args: Any) -> Any:
        """Compute the outputs; each kind of block overrides it."""
        raise NotImplementedError(
            describe(
                "no forward is written", where=type(self).__name__, hint="def forward(self, x): …"
            )
        )

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(block, inputs)`` before each forward."""
        return self._forward_pre_hooks.add(hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(block, inputs, outputs)`` after each forward."""
        return self._forward_hooks.add(hook)

    def register_op_hook(self, callback: Callable[..., Any], monitor_all: bool = False) -> None:
        """Call ``callback(node_name, operator_name, array)`` for every operator's result."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def apply(self, fn: Callable[["Block"], Any]) -> Self:
        """Call a function with each child, and with the block itself last."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile the hybrid blocks below this one; see `HybridBlock.hybridize`."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def summary(self, *inputs: Any) -> None:
        """Print a table of the layers: output shapes, numbers of parameters, operations, bytes of results."""
        print_summary(self, inputs)

    def __setstate__(self, state: dict[str, Any]) -> None:
        plain = {n: value for n, value in state.items() if n in _HOOKS and type(value) is not Hooks}
        self.__dict__.update(state)
        for kind, hooks in plain.items():  # of MXNet's pickles
            self.__dict__[kind] = Hooks(self._hooks_changed, hooks)

    def __copy__(self) -> Self:
        """A block with the same children and parameters, and separate hooks."""
        made = type(self).__new__(type(self))
        made.__setstate__(self.__getstate__())  # type: ignore[arg-type]
        for kind in _HOOKS:
            made.__dict__[kind] = Hooks(made._hooks_changed, self.__dict__[kind])
        return made


def _blocks_in(container: Any) -> Iterator[Block]:
    """The blocks in a list, tuple or dictionary, also in nested ones."""
    for value in container.values() if isinstance(container, dict) else container:
        if isinstance(value, Block):
            yield value
        elif isinstance(value, _CONTAINERS):
            yield from _blocks_in(value)


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line for line in rest)])
