"""The times of a compiled graph on a page: each step's belongs to one operator, so that sums are right."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.codegen import Explanation
from gluonic.graph import Node
from gluonic.support.record import record

_MOST_NUMBERED = 3


@record
class Times:
    """The times of a graph in microseconds, the shortest of several runs.

    Attributes
    ----------
    runs : number of runs
    steps : the time of each step, by its number
    eager : the time of each operator called eagerly, by its node
    """

    runs: int
    steps: Mapping[int, float]
    eager: Mapping[Node, float]


def owner_of(nodes: Sequence[Node]) -> Node | None:
    """The operator that a step's time belongs to: the one with weights, otherwise the last that it computes."""
    with_weights = (n for n in nodes if n.application is not None and "weight" in n.applied.inputs)
    return next(with_weights, nodes[-1] if nodes else None)


def time_facts(times: Times, numbers: Mapping[Node, int]) -> dict[str, Any]:
    """Describe the times of a compiled graph: those of steps also by rank, the slowest first.

    Parameters
    ----------
    times : the times
    numbers : the numbers of nodes on the page
    """
    return {
        "runs": times.runs,
        "steps": {str(number): round(time, 2) for number, time in times.steps.items()},
        "ranked": sorted(times.steps, key=lambda number: -times.steps[number]),
        "eager": {
            str(numbers[node]): round(time, 2)
            for node, time in times.eager.items()
            if node in numbers
        },
    }


def write_on_boxes(
    data: dict[str, Any], times: Times, explanation: Explanation, numbers: Mapping[Node, int]
) -> None:
    """Write the times of steps on the boxes of operators, and their sums on those of blocks.

    An operator that runs in the step of another one has no time of its own: its box names the step.

    Parameters
    ----------
    data : the result of `PageModel.json`, to which notes are added
    times, numbers : as for `time_facts`
    explanation : the explanation of the compiled graph
    """
    owned: dict[int, list[int]] = {}
    for step in times.steps:
        nodes = [node for node in explanation.origins[step] if node in numbers]
        owner = owner_of(nodes)
        for node in nodes:
            if node is owner:
                owned.setdefault(numbers[node], []).append(step)
            else:
                data["nodes"][numbers[node]].setdefault("note", f"in step {step}")
    total: dict[int, float] = {}
    for number, steps in owned.items():
        total[number] = sum(times.steps[step] for step in steps)
        data["nodes"][number]["note"] = f"{_steps(steps)}: {micro(total[number])}"
    blocks = data["blocks"]
    for number in reversed(range(len(blocks))):  # what a block holds has larger numbers
        members = blocks[number].get("members", ())
        total[-1 - number] = sum(total.get(member, 0.0) for member in members)
        if total[-1 - number]:
            blocks[number]["note"] = micro(total[-1 - number])


def _steps(steps: Sequence[int]) -> str:
    if len(steps) > _MOST_NUMBERED:
        return f"{len(steps)} steps"
    return ("step " if len(steps) == 1 else "steps ") + ", ".join(map(str, steps))


def micro(time: float) -> str:
    """A time in microseconds as text.

    >>> micro(3.14159), micro(314.159), micro(3141.59), micro(31415.9)
    ('3.1 µs', '314 µs', '3.14 ms', '31.4 ms')
    """
    if time < 1000:
        return f"{time:.1f} µs" if time < 10 else f"{time:.0f} µs"
    return f"{time / 1000:.2f} ms" if time < 10_000 else f"{time / 1000:.1f} ms"
