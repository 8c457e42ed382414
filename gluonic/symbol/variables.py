"""Creating variables, and reading symbols from files and networks."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gluonic.graph import Node
from gluonic.graph.dtypes import CODE_OF, as_dtype
from gluonic.graph.errors import nearest, user_location
from gluonic.graph.files import naming_copies, opened
from gluonic.graph.json.reader import read_json
from gluonic.graph.network.reader import graph_of
from gluonic.graph.node_attributes import as_text, full_name, is_extra, require_strings
from gluonic.symbol.numpy_class import numpy_symbol
from gluonic.symbol.scopes import block_path, current_attributes
from gluonic.symbol.symbol import Symbol

if TYPE_CHECKING:
    import networkx

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

    Parameters
    ----------
    fname : the path of the file

    Raises
    ------
    FileAccessError
        if the file cannot be read
    FileFormatError
        if it is not a symbol file; nothing in it is evaluated
    """
    if not isinstance(fname, str):
        raise TypeError(f"fname must be a string, not {type(fname).__name__}")
    with opened(fname) as stream, naming_copies(fname):
        return Symbol(read_json(stream, source=fname).outputs)


def load_json(json_str: str) -> Symbol:
    """Read a symbol from JSON text.

    Parameters
    ----------
    json_str : the text

    Raises
    ------
    FileFormatError
        if it is not symbol JSON; nothing in it is evaluated
    """
    if not isinstance(json_str, str):
        raise TypeError(f"json_str must be a string, not {type(json_str).__name__}")
    return Symbol(read_json(json_str).outputs)


def from_network(network: "networkx.DiGraph[Any]") -> Symbol:
    """Make a symbol from a networkx multi-digraph: one of `Symbol.network` that was edited, or a new one.

    Nodes that no output depends on are left out. An unedited network gives the same symbol JSON.

    Parameters
    ----------
    network : its nodes and edges have the data that `Symbol.network` describes. A node needs ``operator``,
        None for a variable; values of ``attributes`` may be Python's or strings. An edge needs ``input``, the
        position or the name of an input of its target, unless it is the only one there; ``output`` is 0 by
        default. ``network.graph["outputs"]`` lists outputs as pairs of a node and a position, or as nodes

    Raises
    ------
    MXNetError
        for unknown operators and wrong attributes, inputs without an edge or with two, outputs that do not
        exist, cycles and the like; it names the node

    Examples
    --------
    >>> import networkx
    >>> from gluonic import nd
    >>> graph = networkx.MultiDiGraph(outputs=["relu0"])
    >>> graph.add_node("data", operator=None)
    >>> graph.add_node("relu0", operator="Activation", attributes={"act_type": "relu"})
    >>> key = graph.add_edge("data", "relu0")
    >>> from_network(graph).eval(data=nd.array([-1, 2]))[0]
    <BLANKLINE>
    [0. 2.]
    <NDArray 2 @cpu(0)>
    """
    outputs = graph_of(network).outputs
    kind: type[Symbol] = numpy_symbol() if network.graph.get("numpy") else Symbol
    return kind(outputs)
