"""Checkpoints: a symbol in ``prefix-symbol.json``, its parameters in ``prefix-0001.params``."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic import ndarray as nd
from gluonic import symbol as sym
from gluonic.graph.errors import FileFormatError
from gluonic.ndarray import NDArray, cpu

__all__ = ["BatchEndParam", "load_checkpoint", "load_params", "save_checkpoint"]
if TYPE_CHECKING:  # `mxnet_names` adds it
    from gluonic.module.feed_forward import FeedForward

    __all__ += ["FeedForward"]


class BatchEndParam(NamedTuple):
    """The argument of a batch callback.

    Attributes
    ----------
    epoch, nbatch : the numbers of epoch and batch
    eval_metric : the metric
    locals : the local variables of the loop
    """

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any


def save_checkpoint(
    prefix: str,
    epoch: int,
    symbol: Any,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    remove_amp_cast: bool = True,
) -> None:
    """Save a symbol and its parameters; old files survive an interruption.

    Parameters
    ----------
    prefix : prefix of the files' names
    epoch : the number in the name of the parameters' file
    symbol : the symbol; None saves parameters only
    arg_params, aux_params : arguments and auxiliary states by name
    remove_amp_cast : whether to leave out the casts of automatic mixed precision
    """
    if symbol is not None:
        symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
    arrays = {f"arg:{name}": value.as_in_context(cpu()) for name, value in arg_params.items()}
    arrays |= {f"aux:{name}": value.as_in_context(cpu()) for name, value in aux_params.items()}
    file = f"{prefix}-{epoch:04d}.params"
    nd.save(file, arrays)
    logging.info('Saved checkpoint to "%s"', file)


def load_params(prefix: str, epoch: int) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Load arguments and auxiliary states by name; see `save_checkpoint`.

    Parameters
    ----------
    prefix : the path of the file up to ``-0001.params``
    epoch : the number in its name
    """
    file = f"{prefix}-{epoch:04d}.params"
    found: dict[str, dict[str, NDArray]] = {"arg": {}, "aux": {}}
    saved = nd.load(file)
    if not saved:
        logging.warning("%s holds no parameters", file)
        return found["arg"], found["aux"]
    if not isinstance(saved, dict):
        raise FileFormatError(f"{file}: the arrays have no names, so this is no checkpoint")
    for full, value in saved.items():
        kind, colon, name = full.partition(":")
        if not colon:
            raise FileFormatError(f"{file}: {full!r} should begin with 'arg:' or 'aux:'")
        found.get(kind, {})[name] = value
    return found["arg"], found["aux"]


def load_checkpoint(prefix: str, epoch: int) -> tuple[Any, dict[str, NDArray], dict[str, NDArray]]:
    """Load a symbol, its arguments and its auxiliary states; see `save_checkpoint`.

    Parameters
    ----------
    prefix : the path of the files up to ``-symbol.json`` and ``-0001.params``
    epoch : the number in the name of the second
    """
    symbol = sym.load(f"{prefix}-symbol.json")
    arg_params, aux_params = load_params(prefix, epoch)
    return symbol, arg_params, aux_params
