"""Creating variables, and reading symbols from files."""

from collections.abc import Mapping
from typing import Any

from gluonic.graph import Node
from gluonic.graph.dtypes import CODE_OF, as_dtype
from gluonic.graph.errors import nearest, user_location
from gluonic.graph.json.reader import read_json
from gluonic.graph.node_attributes import as_text, full_name, is_extra, require_strings
from gluonic.symbol.scopes import block_path, current_attributes
from gluonic.symbol.symbol import Symbol

_STORAGE = {"default": "0", "row_sparse": "1", "csr": "2"}


def var(
    name: str,
    attr: Mapping[str, str] | None = None,
    shape: Any = None,
    lr_mult: float | None = None,
    wd_mult: float | None = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """Create a variable: an input of a graph.

    Parameters
    ----------
    name : its name
    attr : attributes, strings by name
    shape : its shape, as far as it is known; 0 is an unknown axis
    lr_mult, wd_mult : factors for learning rate and weight decay
    dtype : its dtype
    init : an initializer, or its JSON text
    stype : its storage type
    **kwargs : further attributes, with names ``__like_this__``

    Returns
    -------
    Symbol

    Examples
    --------
    >>> var("x", shape=(2, 0), lr_mult=0.5).attr("lr_mult")
    '0.5'
    """
    if not isinstance(name, str):
        raise TypeError(f"a variable's name must be a string, not {name!r}")
    attributes: dict[str, str] = current_attributes().get(attr)
    require_strings(attributes)
    attributes = {full_name(key): value for key, value in attributes.items()}
    known = {"__shape__": shape, "__lr_mult__": lr_mult, "__wd_mult__": wd_mult}
    attributes.update({key: as_text(v) for key, v in known.items() if v is not None})
    if dtype is not None:
        attributes["__dtype__"] = str(CODE_OF[as_dtype(dtype)])
    if init is not None:
        attributes["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if stype not in _STORAGE:
            raise KeyError(f"there is no storage type {stype!r}{nearest(stype, _STORAGE)}")
        attributes["__storage_type__"] = _STORAGE[stype]
    for key, value in kwargs.items():
        if not is_extra(key):
            raise ValueError(
                f"var has no parameter {key!r}{nearest(key, _PARAMETERS)}; "
                f"further attributes are named __{key}__"
            )
        attributes[key] = as_text(value)
    return Symbol([Node(None, name, (), attributes, user_location(), block_path()).entry()])


_PARAMETERS = ("attr", "shape", "lr_mult", "wd_mult", "dtype", "init", "stype")
Variable = var


def load(fname: str) -> Symbol:
    """Read a symbol from a file of MXNet 0.8 to 1.9.

    Raises
    ------
    OSError
        if the file cannot be read
    FileFormatError
        if it is not a symbol file; nothing in it is evaluated
    """
    if not isinstance(fname, str):
        raise TypeError(f"fname must be a string, not {type(fname).__name__}")
    with open(fname, "rb") as stream:
        return Symbol(read_json(stream, source=fname).outputs)


def load_json(json_str: str) -> Symbol:
    """Read a symbol from JSON text.

    Raises
    ------
    FileFormatError
        if it is not symbol JSON; nothing in it is evaluated
    """
    if not isinstance(json_str, str):
        raise TypeError(f"json_str must be a string, not {type(json_str).__name__}")
    return Symbol(read_json(json_str).outputs)
