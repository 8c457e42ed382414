"""``mx.gluon.Block`` of MXNet 2.0, and 1.x's blocks as blocks of 2.0.

Parameters are attributes, named by their place in the net. Layers are 1.x's classes under 2.0's bases
(`of_two`).
"""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.gluon import block, hybrid
from gluonic.gluon.parameter_dict import (
    ParameterDict,
    PathLike,
    check_names,
    load_all,
    without_kind,
)
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2.files import read_parameters, savez
from gluonic.mxnet2.gluon.parameter import OwnParameters, ParameterOfTwo
from gluonic.ndarray import NDArray
from gluonic.ndarray.context import CPU


class BlockOfTwo(block.Block):
    """The base of all layers and nets. Blocks and parameters set as attributes are registered with it."""

    _params: OwnParameters

    def _named(self, prefix: str | None, params: ParameterDict | None) -> tuple[str, ParameterDict]:
        full, _ = super()._named(prefix, params)
        return full, OwnParameters(full, params)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ParameterOfTwo) and "_reg_params" in self.__dict__:
            self._reg_params.pop(name, None)
            self._params.enter(name, value)
        super().__setattr__(name, value)

    def __call__(self, *args: Any) -> Any:
        """Run the block; without inputs, return the block itself: MXNet 2.0 has references to children.

        ``for child in self._children.values(): x = child()(x)`` is how its containers are written.
        """
        return super().__call__(*args) if args or not self._takes_inputs() else self

    def _takes_inputs(self) -> bool:
        """Whether `forward` needs an input."""
        forward = type(self).forward
        if hasattr(forward, "of_layer"):
            return True
        _, *parameters = inspect.signature(forward).parameters.values()
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return any(p.kind in positional and p.default is p.empty for p in parameters)

    def register_child(self, block: block.Block, name: str | None = None) -> None:
        """Make another block a child of this one; a block of MXNet 1.x becomes one of 2.0."""
        adopt(block)
        super().register_child(block, name)

    # Parameters, by their place in the net

    def collect_params(self, select: str | None = None) -> Any:
        """Return the parameters of the block and all its children by their places: ``body.0.weight``.

        Parameters
        ----------
        select : only those whose place begins with a match of this regular expression
        """
        self._check_container_with_block()
        found = self._collect_params_with_prefix()
        if select is None:
            return found
        pattern = re.compile(select)
        return {name: parameter for name, parameter in found.items() if pattern.match(name)}

    def _graph_parameters(self) -> dict[str, Any]:
        """The parameters by the names of their variables, which are made unique."""
        found: dict[str, Any] = {}
        mine: Any = self._collect_params_with_prefix().values()
        for parameter in mine:
            held = found.setdefault(parameter.name, parameter)
            if held is not parameter:
                parameter.rename()
                found[parameter.name] = parameter
        return found

    def initialize(  # type: ignore[override]
        self,
        init: Any = None,
        device: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
        *,
        ctx: Any = None,
    ) -> None:
        """Initialize the parameters of the block and its children.

        Parameters
        ----------
        init : the initializer for parameters without one of their own; `Uniform` by default
        device : the device or devices
        verbose : print the initializer of each parameter
        force_reinit : initialize parameters again that are initialized already
        ctx : the name of `device` in MXNet 1.x
        """
        init = initializer.Uniform() if init is None else init
        if verbose and hasattr(init, "set_verbosity"):
            init.set_verbosity(verbose=verbose)
        where = ctx if device is None else device
        for parameter in dict.fromkeys(self.collect_params().values()):
            parameter.initialize(None, where, init, force_reinit=force_reinit)

    def share_parameters(self, shared: Any) -> "BlockOfTwo":
        """Use the parameters of another block of the same structure, from now on.

        Parameters
        ----------
        shared : parameters by place, as `collect_params` returns them; places that are not in it keep theirs

        Returns
        -------
        BlockOfTwo
            the block itself
        """
        if shared is None:
            return self
        if not hasattr(shared, "items"):
            raise CallError(
                describe(
                    f"shared must be a dictionary of parameters, not {type(shared).__name__}",
                    where="share_parameters",
                    hint="net.share_parameters(other.collect_params())",
                )
            )
        self._share(dict(shared), "")
        return self

    def _share(self, shared: dict[str, Any], prefix: str) -> None:
        for name in list(self._reg_params):
            if prefix + name in shared:
                setattr(self, name, shared[prefix + name])
        for name, child in self._children.items():
            child._share(shared, f"{prefix}{name}.")  # type: ignore[attr-defined]

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of every parameter, such as ``grad_req``."""
        for parameter in self.collect_params().values():
            setattr(parameter, name, value)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for parameter in self.collect_params().values():
            parameter.zero_grad()

    def reset_device(self, device: Any) -> None:
        """Move all parameters to other devices."""
        for parameter in self.collect_params().values():
            parameter.reset_device(device)

    def reset_ctx(self, ctx: Any) -> None:
        """Move all parameters to other devices: `reset_device` by its name in MXNet 1.x."""
        self.reset_device(ctx)

    # Files

    def save_parameters(self, filename: PathLike, deduplicate: bool = False) -> None:
        """Save the parameters by their places; as ``.npz`` if Gluon works on arrays of `mx.np`.

        Parameters
        ----------
        deduplicate : save a shared parameter only once
        """
        if not is_np_array():
            super().save_parameters(filename, deduplicate)
            return
        named = self._collect_params_with_prefix()
        if deduplicate:
            last = {parameter: name for name, parameter in named.items()}
            named = {name: p for name, p in named.items() if last[p] == name}
        savez(filename, **{name: p.value_for_files() for name, p in named.items()})

    def load_parameters(  # type: ignore[override]
        self,
        filename: PathLike,
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
        *,
        ctx: Any = None,
    ) -> None:
        """Load parameters saved by `save_parameters`, or by MXNet 1.x by place.

        Parameters
        ----------
        device : the target devices of uninitialized parameters
        allow_missing : keep the values of parameters that the file lacks
        ignore_extra : skip entries of the file that the block lacks
        cast_dtype, dtype_source : accept another dtype, casting to the ``"current"`` or taking the ``"saved"``
        ctx : the name of `device` in MXNet 1.x
        """
        where = ctx if device is None else device
        values = read_parameters(filename)
        self._load(values, filename, where, allow_missing, ignore_extra, cast_dtype, dtype_source)

    def load_dict(
        self,
        param_dict: Mapping[str, Any],
        device: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters from a dictionary of arrays by place; see `load_parameters`."""
        values = {
            name: x if isinstance(x, NDArray) else nd.array(x, dtype=x.dtype)
            for name, x in param_dict.items()
        }
        self._load(
            values, "the dictionary", device, allow_missing, ignore_extra, cast_dtype, dtype_source
        )

    def _join_parts(self, values: dict[str, Any], prefix: str) -> None:
        """Join arrays of a file that are parts of one parameter, which layers of 1.x divide."""
        for name, child in self._children.items():
            child._join_parts(values, f"{prefix}{name}.")  # type: ignore[attr-defined]

    def _load(
        self,
        values: Mapping[str, NDArray],
        source: PathLike,
        device: Any,
        allow_missing: bool,
        ignore_extra: bool,
        cast_dtype: bool,
        dtype_source: str,
    ) -> None:
        found = {without_kind(name): value for name, value in values.items()}
        self._join_parts(found, "")
        wanted = self._collect_params_with_prefix()
        present = {parameter for name, parameter in wanted.items() if name in found}
        needed = {n: p for n, p in wanted.items() if n in found or p not in present}
        check_names(needed, found, source, allow_missing, ignore_extra)
        load_all(wanted, found, device, cast_dtype, dtype_source)


BASES: dict[Any, Any] = {block.Block: BlockOfTwo}
"""The bases of all blocks of MXNet 2.0, by those of 1.x; `gluonic.mxnet2.gluon.hybrid` adds the hybrid ones."""


_OF_BASES = frozenset({*block.Block.__mro__, *hybrid.HybridBlock.__mro__})


@cache
def of_two(kind: Any) -> Any:
    """The class of MXNet 2.0 for a class of blocks of 1.x."""
    if issubclass(kind, BlockOfTwo):
        return kind
    if kind in BASES:
        return BASES[kind]
    bases = [of_two(base) for base in kind.__bases__ if issubclass(base, block.Block)]
    members: dict[str, Any] = {"__module__": __name__, "__doc__": kind.__doc__, "_of_one": kind}
    own = vars(kind).get("hybrid_forward")
    if any("forward" in vars(base) for base in kind.__mro__ if base not in _OF_BASES):
        members.update(forward=kind.forward, _dispatches=True)
    elif own is not None:
        members["forward"] = _forward_of(own)
    return type(kind)(kind.__name__, (*bases, kind), members)


def _forward_of(hybrid_forward: Callable[..., Any]) -> Callable[..., Any]:
    """The `forward` of a layer that is written as `hybrid_forward`."""

    def forward(self: Any, *args: Any, **keywords: Any) -> Any:
        first = args[0] if args else next(iter(keywords.values()))
        first = first[0] if isinstance(first, (list, tuple)) else first
        if isinstance(first, sym.Symbol):
            symbols = {name: p.var() for name, p in self._reg_params.items()}
            return hybrid_forward(self, sym, *args, **keywords, **symbols)
        device = first.stated_context or CPU
        values = {name: p.data(device) for name, p in self._reg_params.items()}
        return hybrid_forward(self, nd, *args, **keywords, **values)

    forward.__doc__ = hybrid_forward.__doc__
    forward.of_layer = True  # type: ignore[attr-defined]
    return forward


def adopt(child: block.Block) -> None:
    """Make a block of MXNet 1.x, and all below it, blocks of 2.0."""
    if isinstance(child, BlockOfTwo) or not isinstance(child, block.Block):
        return
    for below in child._children.values():
        adopt(below)
    own = OwnParameters(child.prefix)
    kind: Any = type(child)
    child.__class__ = of_two(kind)
    for name, parameter in child._reg_params.items():
        ParameterOfTwo.adopt(parameter)
        own.enter(name, parameter)
    child.__dict__["_params"] = own


Block = BlockOfTwo
BlockOfTwo.__name__ = BlockOfTwo.__qualname__ = "Block"
__all__ = ["Block"]
