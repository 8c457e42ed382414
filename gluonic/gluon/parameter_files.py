"""Files of a block's parameters, saved and loaded by structure or by name."""

import warnings
from collections.abc import Mapping
from typing import Any

from gluonic import ndarray as nd
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.parameter_dict import (
    ParameterDict,
    PathLike,
    check_names,
    load_all,
    read_named,
    without_kind,
)
from gluonic.ndarray import NDArray


class ParameterFiles:
    """Saves and loads the parameters of a block, and of the blocks in it."""

    _children: Mapping[str, Any]
    _reg_params: Mapping[str, Parameter]

    @property
    def prefix(self) -> str:
        """The prefix of the parameters' names."""
        raise NotImplementedError

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """All parameters, by their names."""
        raise NotImplementedError

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """All parameters, by their position in the structure."""
        raise NotImplementedError

    def save_parameters(self, filename: PathLike, deduplicate: bool = False) -> None:
        """Save the parameters by their position in the structure; for `load_parameters`.

        Parameters
        ----------
        deduplicate : save a shared parameter only once
        """
        named = self._collect_params_with_prefix()
        if deduplicate:
            last = {parameter: name for name, parameter in named.items()}
            named = {name: p for name, p in named.items() if last[p] == name}
        nd.save(filename, {name: p.value_for_files() for name, p in named.items()})

    def load_parameters(
        self,
        filename: PathLike,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Load parameters saved by `save_parameters`, by `export` or by `ParameterDict.save`.

        Parameters
        ----------
        ctx : the target contexts of uninitialized parameters
        allow_missing : keep the values of parameters that the file lacks
        ignore_extra : skip entries of the file that the block lacks
        cast_dtype, dtype_source : accept another dtype, casting to the ``"current"`` or taking the ``"saved"``

        Raises
        ------
        MismatchError
            if names, shapes or dtypes do not fit; nothing is loaded then
        """
        wanted, found = self._match(read_named(filename))
        present = {parameter for name, parameter in wanted.items() if name in found}
        needed = {n: p for n, p in wanted.items() if n in found or p not in present}
        check_names(needed, found, filename, allow_missing, ignore_extra)
        load_all(wanted, found, ctx, cast_dtype, dtype_source)

    def _match(self, loaded: dict[str, NDArray]) -> tuple[dict[str, Parameter], dict[str, NDArray]]:
        """The parameters and the arrays under the naming that the file uses.

        Names by structure (``0.weight``), full names (``net0_dense0_weight``, also with ``arg:`` before
        them), or full names without the block's prefix.
        """
        structural = self._collect_params_with_prefix()
        if any("." in name for name in loaded) or set(loaded) <= set(structural):
            return structural, loaded
        found = {without_kind(name): value for name, value in loaded.items()}
        full = dict(self.collect_params().items())
        if not set(found) & set(full):
            found = {self.prefix + name: value for name, value in found.items()}
        return full, found

    def _parameters_by_position(self, prefix: str = "") -> dict[str, Parameter]:
        """The parameters by the positions of blocks among their siblings: ``0.1.weight``."""
        found = {prefix + name: parameter for name, parameter in self._reg_params.items()}
        for position, child in enumerate(self._children.values()):
            found.update(child._parameters_by_position(f"{prefix}{position}."))
        return found

    def save(self, prefix: str) -> None:
        """Save the parameters by position, to ``prefix-model.params``; names of blocks do not matter."""
        named = self._parameters_by_position()
        nd.save(f"{prefix}-model.params", {name: p.value_for_files() for name, p in named.items()})

    def load(self, prefix: str) -> None:
        """Load what `save` has written for a net of the same structure."""
        filename = f"{prefix}-model.params"
        found, wanted = read_named(filename), self._parameters_by_position()
        check_names(wanted, found, filename, allow_missing=False, ignore_extra=False)
        load_all(wanted, found)

    def save_params(self, filename: PathLike) -> None:
        """Save the parameters by name; deprecated, use `save_parameters`."""
        warnings.warn("save_params is deprecated; use save_parameters, or export", stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self,
        filename: PathLike,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Load parameters; deprecated, use `load_parameters`."""
        warnings.warn("load_params is deprecated; use load_parameters", stacklevel=2)
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)
