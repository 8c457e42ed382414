"""Recurrent networks for devices: products over all steps, and the steps of each layer and direction."""

from collections.abc import Sequence
from functools import reduce
from types import SimpleNamespace
from typing import Any

from gluonic.codegen.loops.draws import kept_elements
from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.recurrent.direction import (
    recurrent_steps,
    recurrent_steps_back,
    steps_of,
)
from gluonic.graph import Entry
from gluonic.graph.ops.recurrent import dropout_scale
from gluonic.graph.ops.recurrent_rules import network_of
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.support.record import record

_DTYPES = ("float32", "float64")


@record
class _Part:
    """The parameters of one layer in one direction, as slices of the vector of all; see `Weights`."""

    inputs: Entry
    state: Entry
    project: Entry | None
    inputs_bias: Entry
    state_bias: Entry


class _Network:
    """A network's sizes and arrays, by name.

    Parameters
    ----------
    F : the namespace
    site : the use of one of the operators
    """

    def __init__(self, F: Any, site: RewriteContext) -> None:
        self.F, self.n = F, site.n
        names = site.node.applied.inputs
        self.given = dict(zip(names, site.inputs, strict=True))
        shapes = dict(zip(names, [site.facts.shapes[e] for e in site.node.inputs], strict=True))
        settings = SimpleNamespace(**site.node.applied.settings)
        self.sizes: RNNSizes = network_of(settings)
        self.features, self.length = shapes["data"][2], shapes["parameters"][0]
        self.rows = self.sizes.cell.gates * self.sizes.state_size

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the steps of all directions."""
        projects = self.sizes.projection_size is not None
        lengths = "sequence_length" in self.given
        return {"mode": self.sizes.mode, "projects": projects, "has_lengths": lengths}

    def parts(self) -> list[_Part]:
        """The parameters of all layers and directions."""
        F, vector, begin = self.F, self.given["parameters"], 0

        def taken(count: int) -> Entry:
            nonlocal begin
            begin += count
            entry: Entry = F.slice_axis(vector, axis=0, begin=begin - count, end=begin)
            return entry

        matrices = [
            [F.reshape(taken(a * b), shape=(a, b)) for a, b in shapes]
            for shapes in self.sizes.shapes(self.features)
        ]
        return [self._part(each, taken(self.rows), taken(self.rows)) for each in matrices]

    def _part(self, matrices: Sequence[Entry], *biases: Entry) -> _Part:
        inputs, state, *project = matrices
        return _Part(inputs, state, project[0] if project else None, *biases)

    def one(self, name: str, index: int) -> Entry | None:
        """One of the arrays that an input has along its first axis; None if it is absent."""
        if name not in self.given:
            return None
        entry: Entry = one_of(self.F, self.given[name], index)
        return entry

    def below(self, outputs: Sequence[Entry], layer: int, mask: str) -> Entry:
        """What a layer reads."""
        if not layer:
            return self.given["data"]
        masked = self.one(mask, layer - 1)
        below = outputs[layer - 1]
        return below if masked is None else below * masked


def one_of(F: Any, entry: Entry, index: int) -> Entry:
    """One of the arrays along the first axis of an entry."""
    piece = F.slice_axis(entry, axis=0, begin=index, end=index + 1)
    squeezed: Entry = F.Reshape(piece, shape=(-3, -2))
    return squeezed


def _stacked(F: Any, entries: Sequence[Entry]) -> Entry:
    """Arrays along a new first axis."""
    stacked: Entry = F.stack(*entries, axis=0, num_args=len(entries))
    return stacked


def _has_kernels(site: RewriteContext) -> bool:
    """Whether there are kernels for the dtype, and something to compute."""
    data = site.node.inputs[0]
    is_empty = site.facts.decide(lambda facts: 0 in facts.shapes[data])
    return site.dtype.name in _DTYPES and not is_empty


def recurrent(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A recurrent network without draws."""
    n, node = site.n, site.node
    has_masks = "masks" in node.applied.inputs
    draws = site.train and n.p > 0 and not has_masks
    if draws or not _has_kernels(site):
        return None
    network = _Network(F, site)
    outputs, ran = list[Entry](), list[dict[str, Entry]]()
    parts = network.parts()
    for layer in range(network.sizes.num_layers):
        below, found = network.below(outputs, layer, "masks"), []
        for direction in range(network.sizes.directions):
            index = layer * network.sizes.directions + direction
            found.append(_forward(network, parts[index], below, index))
        ran += found
        both = [each["output"] for each in found]
        outputs.append(both[0] if len(both) == 1 else F.Concat(*both, dim=2))
    return _results(site, network, outputs, ran)


def _forward(network: _Network, part: _Part, below: Entry, index: int) -> dict[str, Entry]:
    """The steps of a direction, after the product of all inputs."""
    projected = network.F.FullyConnected(
        below, part.inputs, part.inputs_bias, num_hidden=network.rows, flatten=False
    )
    given = (
        projected,
        part.state,
        part.state_bias,
        network.one("state", index),
        network.one("state_cell", index),
        part.project,
        network.given.get("sequence_length"),
    )
    backwards = bool(index % network.sizes.directions)
    return steps_of(recurrent_steps, given, **network.settings, backwards=backwards)


def _results(
    site: RewriteContext,
    network: _Network,
    outputs: Sequence[Entry],
    ran: Sequence[dict[str, Entry]],
) -> list[Entry]:
    """The outputs of the network; those that nothing reads are anything."""
    F, node = network.F, site.node
    last = {"state_output": "last_state", "statecell_output": "last_cell"}
    results = []
    for number, name in enumerate(node.applied.outputs):
        if name == "output" or node.entry(number) not in site.used:
            results.append(outputs[-1])
        elif name == "hidden":
            results.append(_hidden(F, outputs, site))
        elif name == "mask":
            results.append(network.given.get("masks") or site.constant(1.0, number))
        else:
            results.append(_stacked(F, [each[last.get(name, name)] for each in ran]))
    return results


def _hidden(F: Any, outputs: Sequence[Entry], site: RewriteContext) -> Entry:
    """The outputs of the layers below the last; perhaps there are none."""
    if len(outputs) > 1:
        return _stacked(F, outputs[:-1])
    return site.constant(0.0, site.node.applied.outputs.index("hidden"))


def scaled_masks(F: Any, site: RewriteContext) -> Sequence[Entry]:
    """Dropout masks: the elements that are kept, scaled."""
    node, p = site.node, site.n.p
    like = site.constant(0.0)
    kept = node.with_application(kept_elements.apply({"p": p}), [like]).entry()
    return [F.Cast(kept, dtype=site.dtype.name) * dropout_scale(p)]


# -- the gradients --------------------------------------------------------------------------------


def recurrent_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradients of a recurrent network."""
    if not _has_kernels(site):
        return None
    network = _Network(F, site)
    sizes, parts, given = network.sizes, network.parts(), network.given
    below = [one_of(F, given["hidden"], i) for i in range(sizes.num_layers - 1)]
    outputs = [*below, given["output"]]
    gradient, gradients = given["grad_output"], dict[int, dict[str, Entry]]()
    for layer in reversed(range(sizes.num_layers)):
        inputs, sums = network.below(outputs, layer, "mask"), []
        for direction in range(sizes.directions):
            index = layer * sizes.directions + direction
            both = (outputs[layer], gradient)
            own = [_piece(F, each, direction, sizes) for each in both]
            found = _backward(network, parts[index], inputs, own, index)
            gradients[index] = found
            sums.append(found["data"])
        gradient = reduce(lambda a, b: a + b, sums)
        mask = network.one("mask", layer - 1) if layer else None
        gradient = gradient if mask is None else gradient * mask
    return _gradients(F, network, gradient, [gradients[i] for i in range(len(gradients))])


def _piece(F: Any, entry: Entry, direction: int, sizes: RNNSizes) -> Entry:
    """The part of an output that a direction computes."""
    if sizes.directions == 1:
        return entry
    begin = direction * sizes.shown
    piece: Entry = F.slice_axis(entry, axis=2, begin=begin, end=begin + sizes.shown)
    return piece


def _backward(
    network: _Network, part: _Part, inputs: Entry, own: Sequence[Entry], index: int
) -> dict[str, Entry]:
    """The gradients of a direction: of its data, its states and its parameters."""
    F = network.F
    state, state_cell = network.one("state", index), network.one("state_cell", index)
    last, last_cell = (network.one(f"grad_{n}_output", index) for n in ("state", "statecell"))
    output, gradient = own
    if last is None:
        last = F.zeros_like(state)
    if last_cell is None and state_cell is not None:
        last_cell = F.zeros_like(state_cell)
    before = (part.state, state, output, network.one("gates", index), gradient, last)
    memory, lengths = network.one("memory", index), network.given.get("sequence_length")
    given = (*before, state_cell, last_cell, memory, part.project, lengths)
    backwards = bool(index % network.sizes.directions)
    steps = steps_of(recurrent_steps_back, given, **network.settings, backwards=backwards)
    found = {"state": steps["state_gradient"]}
    if "cell_gradient" in steps:
        found["cell"] = steps["cell_gradient"]
    own_rows, other_rows = (
        F.Reshape(steps[name], shape=(-3, -2)) for name in ("inputs_gradient", "recurrent_gradient")
    )
    flat = F.Reshape(F.dot(own_rows, part.inputs), shape=(-1,))
    found["data"] = F.reshape_like(flat, inputs)
    pairs = [(own_rows, inputs), (other_rows, steps["before"])]
    if "hidden" in steps:
        pairs.append((F.Reshape(steps["shown_gradient"], shape=(-3, -2)), steps["hidden"]))
    products = [
        F.dot(rows, F.Reshape(others, shape=(-3, -2)), transpose_a=True) for rows, others in pairs
    ]
    for number, product in enumerate(products):
        found[f"weight{number}"] = F.Reshape(product, shape=(-1,))
    for number, rows in enumerate((own_rows, other_rows)):
        found[f"bias{number}"] = F.sum(rows, axis=0)
    return found


def _gradients(
    F: Any, network: _Network, data: Entry, found: Sequence[dict[str, Entry]]
) -> list[Entry]:
    """The gradients of the inputs of the network."""
    listed = [
        each[name] for kind in ("weight", "bias") for each in found for name in each if kind in name
    ]
    parameters = F.Concat(*listed, dim=0)
    names = ["state", "cell"] if network.sizes.mode == "lstm" else ["state"]
    states = [_stacked(F, [each[name] for each in found]) for name in names]
    return [data, parameters, *states]
