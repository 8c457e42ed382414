"""The keys of groups' machine code: groups with equal keys share one function.

Generating a function takes longer than all other work on a group, and nets repeat the same layers.
"""

from collections.abc import Hashable

from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.loops.steps import LoopStep, Step
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry, Node


def code_key(group: Group, facts: Facts) -> Hashable | None:
    """The key of a native group; None if only the text of its code can serve as one.

    Unless the step defines its `code`, the key contains the operators with their attributes (except those that
    only move elements), their connections, the dtypes, and which extents are 1.
    """
    step: Step = group.step
    if step.code is not None:
        return step.code
    if not step.has_key:
        return None
    position = {node: number for number, node in enumerate(group.nodes)}
    outside: dict[Entry, int] = {}

    def where(entry: Entry) -> Hashable:
        if entry.node in position:
            return position[entry.node], entry.index
        return outside.setdefault(entry, len(outside))

    nodes = []
    for node in group.nodes:
        outputs = [(position[node], i) for i in range(node.output_count)]
        moves = isinstance(step, LoopStep) and step.nest.loops[node].only_moves
        operator = None if moves else id(node.application)
        nodes.append((operator, *map(where, node.inputs), *outputs, _kind(node, facts)))
    operands = tuple(map(where, step.operands))
    loop = _loop_key(step) if isinstance(step, LoopStep) else None
    return type(step), tuple(nodes), operands, loop


def _kind(node: Node, facts: Facts) -> Hashable:
    """The properties that a node's code depends on, besides its operator: dtypes, and which extents are 1."""
    key = "kind of code", facts.kind_of(node)
    if key not in facts.known:
        entries = [*node.inputs, *[node.entry(i) for i in range(node.output_count)]]
        ones = [tuple([extent == 1 for extent in facts.shapes[entry]]) for entry in entries]
        facts.known[key] = *[facts.dtypes[entry] for entry in entries], *ones
    kind: Hashable = facts.known[key]
    return kind


def _loop_key(step: LoopStep) -> Hashable:
    """The nesting of the loops of a fused group, and the loops in which its operators run."""
    lowered, nodes, stages = step.lowered, step.group.nodes, step.group.stages
    assert stages is not None
    loops = [step.nest.loops[node] for node in nodes]
    kernel: Kernel = lowered.kernel
    return (
        (
            kernel.rank,
            kernel.operands,
            kernel.reduced,
            kernel.chunked,
            kernel.streamed,
            lowered.merged,
        ),
        tuple((stage.results, stage.point) for stage in kernel.stages),
        tuple((loop.structure, loop.indexed, loop.reduction) for loop in loops),
        tuple(stages.domains[node] for node in nodes),
        tuple(lowered.reads.get((n, i)) for n in nodes for i in range(len(n.inputs))),
        tuple(lowered.writes.get(n.entry(i)) for n in nodes for i in range(n.output_count)),
    )
