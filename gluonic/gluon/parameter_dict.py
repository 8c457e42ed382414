"""`ParameterDict`: the parameters of a block or a net, by full name."""

import os
import re
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, TypeAlias

from gluonic import initializer
from gluonic import ndarray as nd
from gluonic.gluon.constant import Constant
from gluonic.gluon.parameter import Parameter, expect_draws
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MismatchError, describe, nearest
from gluonic.ndarray import Context, NDArray

PathLike: TypeAlias = str | os.PathLike[str]


class ParameterDict(Mapping[str, Parameter]):
    """Parameters by name.

    Parameters
    ----------
    prefix : put before the name of every parameter made by `get`
    shared : another dictionary in which `get` looks first
    """

    def __init__(self, prefix: str = "", shared: "ParameterDict | None" = None) -> None:
        self._prefix, self._shared = prefix, shared
        self._params: dict[str, Parameter] = {}

    # Equality is identity, and even an empty dictionary is true: MXNet's have no length.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        name = self._prefix + " " if self._prefix else ""
        lines = "\n".join(f"  {parameter!r}" for parameter in self.values())
        return f"{name}(\n{lines}\n)"

    def __getitem__(self, key: str) -> Parameter:
        return self._params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    # Those of Mapping look every parameter up by its name.

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Return the parameters."""
        return self._params.values()

    def items(self) -> ItemsView[str, Parameter]:
        """Return names and parameters."""
        return self._params.items()

    @property
    def prefix(self) -> str:
        """The prefix of the names that `get` makes."""
        return self._prefix

    def _get_impl(self, name: str) -> Parameter | None:
        if name not in self._params and self._shared is not None and name in self._shared:
            self._params[name] = self._shared[name]
        return self._params.get(name)

    def get(self, name: str, default: Any = None, **kwargs: Any) -> Parameter:
        """Return the parameter `prefix + name`, created with `kwargs` if it does not exist.

        Raises
        ------
        AssertionError
            if it exists and differs from `kwargs`
        """
        full = self._prefix + name
        found = self._get_impl(full)
        if found is None:
            found = self._params[full] = Parameter(full, **kwargs)
            return found
        for key, value in kwargs.items():
            _agree(found, key, value)
        return found

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant `prefix + name`, created with `value` if it does not exist."""
        full = self._prefix + name
        found = self._get_impl(full)
        if found is None:
            if value is None:
                raise KeyError(f"there is no constant {full!r}: give its value to make it")
            found = self._params[full] = Constant(full, value)
        if not isinstance(found, Constant):
            raise MismatchError(f"{full!r} is a parameter, not a constant")
        if value is not None:
            given = value if isinstance(value, NDArray) else nd.array(value)
            if given.shape != found.value.shape or (given.asnumpy() != found.value.asnumpy()).any():
                raise MismatchError(f"the constant {full!r} exists with another value")
        return found

    def update(self, other: Mapping[str, Parameter]) -> None:
        """Add all parameters of another dictionary; a name must refer to one parameter."""
        for name, parameter in other.items():
            if self._params.setdefault(name, parameter) is not parameter:
                raise MismatchError(
                    describe(
                        f"there are two different parameters named {name!r}",
                        where=f"ParameterDict {self._prefix!r}",
                        facts=[f"{p.name}: shape {p.shape}" for p in (self[name], parameter)],
                        hint="make the blocks within `with self.name_scope():`, or with other prefixes",
                    )
                )

    def initialize(
        self,
        init: Any = None,
        ctx: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; `Uniform` is the default initializer."""
        init = initializer.Uniform() if init is None else init
        if verbose and hasattr(init, "set_verbosity"):
            init.set_verbosity(verbose=verbose)
        expect_draws(p for p in self.values() if force_reinit or not p.is_initialized)
        for parameter in self.values():
            parameter.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        for parameter in self.values():
            parameter.zero_grad()

    def reset_ctx(self, ctx: Any) -> None:
        """Move all parameters to other contexts."""
        for parameter in self.values():
            parameter.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """Return all contexts that parameters are on."""
        return list(dict.fromkeys(ctx for p in self.values() for ctx in p.list_ctx()))

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of every parameter, such as ``grad_req``."""
        for parameter in self.values():
            setattr(parameter, name, value)

    def save(self, filename: PathLike, strip_prefix: str = "") -> None:
        """Save all values to a ``.params`` file."""
        arrays = {}
        for parameter in self.values():
            if not parameter.name.startswith(strip_prefix):
                raise MismatchError(
                    describe(
                        f"{strip_prefix!r} is to be stripped, but the parameter {parameter.name!r} "
                        "does not begin with it",
                        where="ParameterDict.save",
                        hint="save_parameters, whose names do not depend on prefixes",
                    )
                )
            arrays[parameter.name.removeprefix(strip_prefix)] = parameter.value_for_files()
        nd.save(filename, arrays)

    def load(
        self,
        filename: PathLike,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load values from a ``.params`` file.

        Parameters
        ----------
        ctx : the target contexts of uninitialized parameters
        allow_missing : keep the values of parameters that the file lacks
        ignore_extra : skip entries of the file that this dictionary lacks
        restore_prefix : put before the names in the file
        cast_dtype, dtype_source : accept another dtype, casting to the ``"current"`` or taking the ``"saved"``
        """
        self.load_dict(
            read_named(filename),
            ctx,
            allow_missing,
            ignore_extra,
            restore_prefix,
            filename,
            cast_dtype,
            dtype_source,
        )

    def load_dict(
        self,
        param_dict: Mapping[str, NDArray],
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        restore_prefix: str = "",
        filename: PathLike | None = None,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load values from a dictionary; see `load`."""
        values = {restore_prefix + without_kind(n): value for n, value in param_dict.items()}
        check_names(self, values, filename or "the dictionary", allow_missing, ignore_extra)
        load_all(self, values, ctx, cast_dtype, dtype_source)


def load_all(
    parameters: Mapping[str, Parameter],
    values: Mapping[str, NDArray],
    ctx: Any = None,
    cast_dtype: bool = False,
    dtype_source: str = "current",
) -> None:
    """Set parameters to the values of their names: all of them, or none if one does not fit."""
    present = [(parameters[name], value) for name, value in values.items() if name in parameters]
    for parameter, value in present:
        parameter.check_load(value, ctx, cast_dtype, dtype_source)
    for parameter, value in present:
        parameter.load(value, ctx, cast_dtype, dtype_source)


def read_named(filename: PathLike) -> dict[str, NDArray]:
    """The arrays of a file by name; an empty file may be of either kind, with names or without."""
    loaded = nd.load(filename)
    if isinstance(loaded, dict):
        return loaded
    if not loaded:
        return {}
    raise MismatchError(
        describe(
            "holds arrays without names, so no parameters",
            where=str(filename),
            hint="mx.nd.load to read it; save_parameters writes what load_parameters reads",
        )
    )


def without_kind(name: str) -> str:
    """A name in a file without the ``arg:`` or ``aux:`` that exported files put before it.

    >>> without_kind("arg:fc1_weight")
    'fc1_weight'
    """
    return re.sub(r"\A(arg|aux):", "", name)


def check_names(
    wanted: Mapping[str, Parameter],
    found: Mapping[str, Any],
    source: PathLike,
    allow_missing: bool,
    ignore_extra: bool,
) -> None:
    """Compare the names in a file with those of a net, and report all differences at once."""
    missing = [] if allow_missing else [name for name in wanted if name not in found]
    extra = [] if ignore_extra else [name for name in found if name not in wanted]
    if not missing and not extra:
        return
    facts = [f"missing in the file: {name}{nearest(name, extra)}" for name in missing[:8]]
    facts += [f"not in the net: {name}" for name in extra[:8]]
    hidden = len(missing) + len(extra) - len(facts)
    if hidden:
        facts.append(f"and {hidden} more")
    raise MismatchError(
        describe(
            "the names in the file are not those of the net",
            where=str(source),
            facts=facts,
            hint="allow_missing=True or ignore_extra=True, if that is meant"
            if any(name in found for name in wanted)
            else "SymbolBlock.imports(symbol_file, input_names, file) for files of net.export; otherwise the "
            "net, with its prefixes, as it was when the file was written",
        )
    )


def _agree(parameter: Parameter, key: str, value: Any) -> None:
    """Check that an existing parameter matches the request; complete its shape."""
    present = getattr(parameter, key, None)
    if value is None or present is None:
        if value is not None:
            setattr(parameter, key, value)
        return
    if key == "shape":
        wanted = (value,) if isinstance(value, int) else tuple(value)
        fits = len(wanted) == len(present) and all(
            a == b or 0 in (a, b) for a, b in zip(wanted, present, strict=True)
        )
        if fits:
            parameter.shape = _merged(wanted, present)
            return
    elif key == "dtype":
        fits = as_dtype(value) == as_dtype(present)
    else:
        fits = value == present
    if not fits:
        raise MismatchError(
            describe(
                f"exists with {key}={present}; now {key}={value} is asked for",
                where=f"Parameter {parameter.name!r}",
                hint="another name, or the same settings wherever a parameter is shared",
            )
        )


def _merged(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    return tuple(a or b for a, b in zip(first, second, strict=True))


def find_parameter(parameters: ParameterDict, name: str) -> Parameter | None:
    """Return the parameter of a full name, which may be in the shared dictionary; None if there is none."""
    return parameters._get_impl(name)


def dict_of_child(parameters: ParameterDict, prefix: str) -> ParameterDict:
    """Return an empty dictionary for a child of a block, which shares what its parent shares."""
    return ParameterDict(parameters.prefix + prefix, parameters._shared)
