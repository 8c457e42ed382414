"""The files of a module with buckets: one of parameters, one of keys, and a symbol for each bucket."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.model import load_params
from gluonic.module.delegating import DelegatingModule


class SavedBuckets(DelegatingModule):
    """A module with buckets that can be saved and loaded."""

    _buckets: dict[Any, Any]

    def _called(self, key: Any) -> tuple[Any, Any, Any]:
        """The symbol and the input names of a bucket."""
        raise self._lacks("_called")

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Save the parameters, the keys of all buckets so far and their symbols.

        Parameters
        ----------
        prefix : the prefix of the files' names: ``prefix-0001.params``, ``prefix.buckets``,
            ``prefix-7-symbol.json`` for the bucket 7
        epoch : the number in the name of the parameters' file
        remove_amp_cast : omit the casts of automatic mixed precision

        Raises
        ------
        TypeError
            if a key is not an integer, before anything is saved
        """
        keys = list(self._buckets)
        for key in keys:
            if not isinstance(key, (int, np.integer)):
                raise TypeError(f"the bucket {key!r} cannot be saved, for its key is no integer")
        self.save_params(f"{prefix}-{epoch:04d}.params")
        for key in keys:
            symbol, _, _ = self._called(key)
            symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
        nd.save(f"{prefix}.buckets", nd.array(keys, dtype="int32"))

    @classmethod
    def load(
        cls,
        prefix: str,
        epoch: int,
        sym_gen: Callable[[Any], Any] | None = None,
        default_bucket_key: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Return the module that `save_checkpoint` has saved.

        Parameters
        ----------
        prefix, epoch : see `save_checkpoint`
        sym_gen, default_bucket_key, kwargs : as for the constructor
        """
        keys = [int(key) for key in nd.load(f"{prefix}.buckets")[0].asnumpy()]
        arguments, states = load_params(prefix, epoch)
        symbols = {key: sym.load(f"{prefix}-{key}-symbol.json") for key in keys}
        return cls.load_dict(symbols, sym_gen, default_bucket_key, arguments, states, **kwargs)

    @classmethod
    def load_dict(
        cls,
        sym_dict: Mapping[Any, Any] | None = None,
        sym_gen: Callable[[Any], Any] | None = None,
        default_bucket_key: Any = None,
        arg_params: Any = None,
        aux_params: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Return a module with given symbols and parameters.

        Parameters
        ----------
        sym_dict : the symbols by bucket
        sym_gen, default_bucket_key, kwargs : as for the constructor
        arg_params, aux_params : parameters and auxiliary states by name

        Raises
        ------
        AssertionError
            if one of them is not given
        """
        given = {"sym_dict": sym_dict, "sym_gen": sym_gen, "default_bucket_key": default_bucket_key}
        for name, value in {**given, "arg_params": arg_params, "aux_params": aux_params}.items():
            if value is None:
                raise AssertionError(f"loading a {cls.__name__} needs {name}=")
        assert sym_dict is not None
        assert sym_gen is not None
        maker: Callable[..., Self] = cls
        made = maker(sym_gen, default_bucket_key, **kwargs)
        made._take_buckets(sym_dict, arg_params, aux_params)
        return made

    def _take_buckets(self, symbols: Mapping[Any, Any], arg_params: Any, aux_params: Any) -> None:
        """Set the symbols of buckets, and the parameters, before the module is bound."""
        raise NotImplementedError
