"""A model from its files, ready to be called: a network with the values of its parameters."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from gluonic import ndarray as nd
from gluonic.drawing.layer_table import LayerTable
from gluonic.gluon.symbol_block import SymbolBlock
from gluonic.graph import Graph, Node
from gluonic.graph.errors import nearest
from gluonic.ndarray import NDArray
from gluonic.ndarray.eager_run import each_result
from gluonic.symbol import Symbol
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from gluonic.tools.command import CommandError
from gluonic.tools.model_files import load_network, load_parameters

Shape = tuple[int, ...]


class Model:
    """A network with its parameters.

    Parameters
    ----------
    network : symbol JSON
    parameters : a file of arrays; None takes the one beside the network
    shapes : the shapes of inputs that are known
    drawn : whether parameters without values are initialized as for training; otherwise they are inputs

    Attributes
    ----------
    symbol, graph : the network
    data : the names of the inputs, without labels
    labels : the names of inputs that are read as labels alone: predictions do not depend on them
    outputs : the names of the outputs
    shapes : the same as the parameter
    is_drawn : whether there were no values at all
    """

    def __init__(
        self,
        network: Path,
        parameters: str | None = None,
        shapes: Mapping[str, Shape] | None = None,
        *,
        drawn: bool = False,
    ) -> None:
        self.symbol: Symbol = load_network(network)
        self.graph: Graph = self.symbol.graph()
        self.outputs = self.symbol.list_outputs()
        self.shapes = dict(shapes or {})
        arrays = load_parameters(parameters, network)
        self.is_drawn = drawn and not arrays
        inputs = self._inputs(arrays)
        self.labels = [node.name for node in inputs if self._is_label(node)]
        self.data = [node.name for node in inputs if node.name not in self.labels]
        for name in self.shapes:
            self.check_input(name)
        variables = {node.name: node for node in self.graph.variables}
        kind = type(self.symbol)
        self._order = [*self.data, *self.labels]
        self._block = SymbolBlock(
            self.symbol, [kind([variables[name].entry()]) for name in self._order]
        )
        self._block.hybridize(compile_at_once=True)
        values = self._block.collect_params()
        if self.is_drawn:
            values.initialize()
        values.load_dict(arrays, None, self.is_drawn, True, "", network, True, "saved")

    def _inputs(self, arrays: Mapping[str, NDArray]) -> list[Node]:
        """The variables without values; if none has one, those that look like inputs."""
        if self.is_drawn:
            facts = facts_of(self.graph, SHAPE, {})
            known = LayerTable(self.graph, facts, data=self.shapes).data
            return [node for node in self.graph.variables if node in known]
        return [node for node in self.graph.variables if node.name not in arrays]

    def _is_label(self, node: Node) -> bool:
        """Whether all operators that read a variable read it as a label."""
        if node.name in self.shapes:
            return False
        slots = [
            name
            for reader in self.graph.consumers[node]
            for name, entry in zip(reader.applied.inputs, reader.inputs, strict=True)
            if entry.node is node
        ]
        return bool(slots) and all(slot == "label" for slot in slots)

    def check_input(self, name: str) -> None:
        """Check that a name is an input's.

        Raises
        ------
        CommandError
            if it is not
        """
        if name not in self.data and name not in self.labels:
            known = ", ".join(self.data)
            raise CommandError(
                f"the model has no input {name!r}{nearest(name, self.data)}",
                hint=f"its inputs are {known}",
            )

    def __call__(self, data: Mapping[str, NDArray]) -> list[NDArray]:
        """The outputs for inputs by name; labels that are not given are zeros.

        Raises
        ------
        CommandError
            if an input is missing
        MXNetError
            if shapes do not fit
        """
        result = self._block(*self._arguments(data))
        return [*result] if isinstance(result, (list, tuple)) else [result]

    def _arguments(self, data: Mapping[str, NDArray]) -> list[NDArray]:
        missing = [name for name in self.data if name not in data]
        if missing:
            raise CommandError(
                f"there are no values for {', '.join(missing[:6])}" + " …" * (len(missing) > 6),
                hint="the parameters' file by --params, if these are parameters",
            )
        shapes = {name: array.shape for name, array in data.items()}
        labels = self.label_shapes(shapes) if set(self.labels) - data.keys() else {}
        return [data[name] if name in data else nd.zeros(labels[name]) for name in self._order]

    def label_shapes(self, shapes: Mapping[str, Shape]) -> dict[str, Shape]:
        """The shapes of labels, which follow from those of the data."""
        facts = facts_of(self.graph, SHAPE, shapes)
        return {
            node.name: tuple(facts[node][0] or ())
            for node in self.graph.variables
            if node.name in self.labels
        }

    def eagerly(self, data: Mapping[str, NDArray]) -> Iterator[tuple[Node, list[NDArray]]]:
        """Run operator by operator, as a net that is not hybridized; yields each with its results."""
        known = self.values() | dict(zip(self._order, self._arguments(data), strict=True))
        return each_result(self.graph, known)

    def values(self) -> dict[str, NDArray]:
        """The parameters by name; those that are drawn have values after the first call."""
        return {name: value.data() for name, value in self._block.collect_params().items()}

    def sample(self, batch: int | None = None, seed: int = 0) -> dict[str, NDArray]:
        """Random data of the known shapes, between 0 and 1.

        Parameters
        ----------
        batch : the length of the first axis, instead of that of each shape

        Raises
        ------
        CommandError
            if a shape is not known
        """
        self.check_shapes()
        random = np.random.RandomState(seed)
        shapes = {name: self.shapes[name] for name in self.data}
        if batch is not None:
            shapes = {name: (batch, *shape[1:]) for name, shape in shapes.items()}
        return {name: nd.array(random.rand(*shape)) for name, shape in shapes.items()}

    def check_shapes(self) -> None:
        """Check that the shapes of all data are known.

        Raises
        ------
        CommandError
            naming those that are not
        """
        unknown = [name for name in self.data if name not in self.shapes]
        if unknown:
            raise CommandError(
                f"the shapes of {', '.join(unknown)} are not known",
                hint=" ".join(f"--shape {name}=1,3,224,224" for name in unknown),
            )


def model_of(options: argparse.Namespace, *, drawn: bool = False) -> Model:
    """The model that a command line names, with the options of `model_files.add_options`.

    Raises
    ------
    CommandError, MXNetError
        if the files hold something else, or do not fit each other
    """
    return Model(Path(options.model), options.params, dict(options.shape), drawn=drawn)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the model's file, for `model_of`."""
    parser.add_argument("model", help="the network: symbol JSON, such as net-symbol.json")
