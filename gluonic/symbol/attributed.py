"""The attributes of a symbol's nodes."""

from gluonic.graph.errors import MXNetError
from gluonic.graph.node_attributes import full_name, is_own, listed, own, require_strings
from gluonic.graph.subgraphs import held_graphs
from gluonic.symbol.outputs import Outputs


class Attributed(Outputs):
    """Outputs of nodes whose attributes can be read and set."""

    __slots__ = ()

    def attr(self, key: str) -> str | None:
        """Return an attribute; None if the symbol does not have it, or is a group."""
        node = self._node()
        if node is None:
            return None
        if key == "name":
            return node.name
        return listed(node.attributes).get(key)

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return all attributes of the symbol."""
        if recursive:
            raise DeprecationWarning("list_attr(recursive=True) is now attr_dict()")
        return listed(self.entries[0].node.attributes)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of all nodes that have any, by the nodes' names."""
        found: dict[str, dict[str, str]] = {}
        for node in self.graph().nodes:
            if node.attributes:
                found.setdefault(node.name, {}).update(listed(node.attributes))
        return found

    def _set_attr(self, **attributes: str) -> None:
        """Set attributes of the node, also for all other symbols that share it."""
        node = self._node()
        if node is None:
            raise MXNetError(f"{self!r} is a group: attributes belong to its members")
        require_strings(attributes)
        merged = {**node.attributes, **{full_name(k): v for k, v in attributes.items()}}
        if node.application is not None and any(map(is_own, map(full_name, attributes))):
            held = held_graphs(node)
            settings = {
                **node.application.op.recognized(own(merged, node.application.op)),
                **({"subgraphs": list(held)} if held else {}),
            }
            node.application = node.application.op.apply(settings)
            self._known_graph = None
        node.attributes = merged
