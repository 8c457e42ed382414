"""Division of batches among contexts, as programs with executors of their own use it."""

from collections.abc import Sequence
from typing import Any

from gluonic.module.division import divided
from gluonic.ndarray import NDArray

__all__: list[str] = []


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Divide a batch in proportion to loads.

    Raises
    ------
    ValueError
        if a part would be empty

    Examples
    --------
    >>> _split_input_slice(10, [1, 2])
    [slice(0, 3, None), slice(3, 10, None)]
    """
    return divided(batch_size, work_load_list)


def _load_general(data: Sequence[NDArray], targets: Sequence[Any]) -> None:
    """Copy arrays into others, each one array, or a list of slices with the arrays for them."""
    for source, target in zip(data, targets, strict=True):
        if isinstance(target, NDArray):
            source.copyto(target)
            continue
        for piece, part in target:
            source[piece].copyto(part)


def _load_data(batch: Any, targets: Sequence[Any]) -> None:
    """Copy a batch's data into arrays."""
    _load_general(batch.data, targets)


def _load_label(batch: Any, targets: Sequence[Any]) -> None:
    """Copy a batch's labels into arrays."""
    _load_general(batch.label, targets)


def _check_arguments(symbol: Any) -> None:
    """Raise an error if arguments, or auxiliary states, of a symbol have the same name.

    Raises
    ------
    ValueError
        for the first name that occurs twice
    """
    for kind, names in (
        ("arguments", symbol.list_arguments()),
        ("auxiliary states", symbol.list_auxiliary_states()),
    ):
        again = next((name for name in names if names.count(name) > 1), None)
        if again is not None:
            raise ValueError(f"several {kind} of the symbol are called {again!r}: {names}")
