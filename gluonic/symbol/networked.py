"""The graph of a symbol as a networkx multi-digraph."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from gluonic.graph.network.writer import network_of
from gluonic.symbol.inferable import Inferable
from gluonic.symbol.inference import DTYPE, SHAPE, given_facts, infer_facts

if TYPE_CHECKING:
    import networkx


class Networked(Inferable):
    """Outputs of a graph on which networkx's algorithms can run."""

    __slots__ = ()

    of_numpy: ClassVar[bool]

    def network(
        self, type_dict: Mapping[str, Any] | None = None, **shapes: tuple[int, ...]
    ) -> "networkx.MultiDiGraph[str]":
        """Return the graph as a networkx multi-digraph; `from_network` makes a symbol of it again.

        Parameters
        ----------
        type_dict : dtypes of inputs by name
        **shapes : shapes of inputs by name; 0 is an unknown axis. With shapes or dtypes, those of all nodes
            are inferred, as far as they follow

        Returns
        -------
        networkx.MultiDiGraph
            Its nodes are the names of the symbol's nodes, inputs before their readers; the second node of a
            name is ``"name#2"``. `from_network` reads these data of a node:

            - ``operator``: the operator's name; None for a variable
            - ``attributes``: a dict of strings, as in symbol JSON
            - ``block``, ``location``: the path of the block and the line (file, number, function) that made it
            - ``subgraphs``: the networks of its bodies, only for a loop or a branch
            - ``name``: the symbol's name for the node, only if it differs from the key
            - ``turn``: the place of an operator among those that draw random numbers, or behave otherwise in
              training; only for these, which run in this order
            - ``placeholder``: only for an operator that gluonic does not have, from a file

            These are facts, which it does not read:

            - ``settings``: the operator's attributes as Python values, with the defaults; read-only
            - ``role``: ``"input"``, ``"parameter"`` or ``"state"`` of a variable, else None. Parameters are
              recognized by names and readers, as in pictures; `HybridBlock.network` knows them
            - ``shapes``, ``dtypes``: tuples with those of all outputs, also hidden ones; what is not known is
              None, also in a shape

            An edge has ``output``, a position at its source, ``input``, a position at its target, and the
            fact ``argument``, that input's name. ``network.graph["outputs"]`` lists the outputs, pairs of a
            node and a position; ``network.graph["numpy"]`` is True for symbols of `mx.sym.np`.

        Examples
        --------
        >>> from gluonic import symbol as sym
        >>> y = sym.Activation(sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc"), "relu", name="y")
        >>> graph = y.network(x=(2, 5))
        >>> list(graph)
        ['x', 'fc_weight', 'fc_bias', 'fc', 'y']
        >>> graph.nodes["fc"]["attributes"], graph.nodes["fc"]["settings"]["flatten"]
        ({'num_hidden': '3'}, True)
        >>> graph.nodes["fc_weight"]["role"], graph.nodes["fc_weight"]["shapes"]
        ('parameter', ((3, 5),))
        >>> graph.edges["fc_weight", "fc", 0]
        {'output': 0, 'input': 1, 'argument': 'weight'}
        >>> import networkx
        >>> networkx.dag_longest_path_length(graph)
        2
        """
        return network_of_symbol(self, shapes, type_dict or {})


def network_of_symbol(
    symbol: Networked,
    shapes: Mapping[str, Any],
    dtypes: Mapping[str, Any],
    parameters: frozenset[str] | None = None,
) -> "networkx.MultiDiGraph[str]":
    """The network of a symbol.

    Parameters
    ----------
    symbol : the symbol
    shapes, dtypes : of inputs by name
    parameters : the variables that are parameters; None to infer them from names and readers
    """
    from gluonic.drawing.tree import parameter_test

    graph, is_given = symbol.graph(), bool(shapes or dtypes)
    test = parameter_test(graph.nodes)
    network = network_of(
        graph,
        infer_facts(graph, SHAPE, given_facts(graph, SHAPE, (), shapes)) if is_given else None,
        infer_facts(graph, DTYPE, given_facts(graph, DTYPE, (), dtypes)) if is_given else None,
        test if parameters is None else lambda node: node.name in parameters,
    )
    if symbol.of_numpy:
        network.graph["numpy"] = True
    return network
