"""Private functions of `mx.module.base_module` that programs import."""

from collections.abc import Sequence
from typing import Any

from gluonic.io import DataDesc
from gluonic.module.inputs import check_described, check_names, described


def _as_list(obj: Any) -> Any:
    """Return a list or tuple as it is, and anything else in a list."""
    return obj if isinstance(obj, (list, tuple)) else [obj]


def _check_input_names(symbol: Any, names: Sequence[str], typename: str, throw: bool) -> None:
    """Raise an error for names of inputs that a symbol lacks, or warn."""
    check_names(names, symbol.list_arguments(), f"{typename}_names", refuse=throw)


def _check_names_match(data_names: Sequence[str], data_shapes: Any, name: str, throw: bool) -> None:
    """Raise an error if descriptions of inputs, or pairs of name and shape, have other names, or warn."""
    check_described(described(data_shapes), data_names, name, refuse=throw)


def _parse_data_desc(
    data_names: Sequence[str], label_names: Sequence[str], data_shapes: Any, label_shapes: Any
) -> tuple[list[DataDesc], list[DataDesc] | None]:
    """Return descriptions of data and labels, from these or from pairs of name and shape."""
    data, labels = described(data_shapes), described(label_shapes)
    check_described(data, data_names, "data", refuse=True)
    check_described(labels, label_names, "label", refuse=False)
    return data, None if label_shapes is None else labels
