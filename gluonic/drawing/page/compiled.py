"""The description of a compiled graph on a page: steps, their reasons, code, memory and times."""

import re
from collections.abc import Mapping
from typing import Any

from gluonic.codegen import Explanation
from gluonic.codegen.machine.module_text import part_of
from gluonic.drawing.page.packing import packed
from gluonic.drawing.page.passes import pass_pages
from gluonic.graph import Graph, Node
from gluonic.support.record import record

_MOST_CODE = 6_000_000
_FUNCTION = re.compile(r"^([A-Za-z_][\w.$]*):", re.MULTILINE)


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


def compiled_facts(
    explanation: Explanation,
    graph: Graph,
    numbers: Mapping[Node, int],
    times: Times | None = None,
) -> dict[str, Any]:
    """Describe a compiled graph.

    Parameters
    ----------
    explanation : the explanation of the compiled graph
    graph : the user's graph
    numbers : the numbers of nodes on the page
    times : the measured times, if any
    """
    steps = [
        {
            "kind": step.kind,
            "shape": list(step.shape),
            "why": step.why,
            "operators": list(step.operators),
            "function": step.function,
            "nodes": [numbers[node] for node in origins if node in numbers],
            "location": step.location,
            "apart": [list(pair) for pair in step.apart],
            **({"kept": 1} if step.reason.startswith("only") else {}),
        }
        for step, origins in zip(explanation.steps, explanation.origins, strict=True)
    ]
    found: dict[str, Any] = {
        "steps": steps,
        "native_calls": explanation.native_calls,
        "saved_bytes": explanation.saved_bytes,
        "arena_bytes": explanation.arena_bytes,
        "memory": [[s.name, s.offset, s.size, s.first, s.last] for s in explanation.memory],
        "passes": pass_pages(graph, explanation.passes),
        "code": packed(_code_of(explanation)),
    }
    if times is not None:
        found["times"] = {
            "runs": times.runs,
            "steps": {str(number): round(time, 2) for number, time in times.steps.items()},
            "eager": {
                str(numbers[node]): round(time, 2)
                for node, time in times.eager.items()
                if node in numbers
            },
        }
    return found


def _code_of(explanation: Explanation) -> dict[str, dict[str, str]]:
    """LLVM IR and assembly of each function; code beyond some megabytes is omitted."""
    functions = list(dict.fromkeys(step.function for step in explanation.kernels if step.function))
    assembly = _by_function(explanation.assembly()) if functions else {}
    found: dict[str, dict[str, str]] = {}
    size = 0
    for function in functions:
        texts = {
            "llvm": part_of(explanation.code, [function]),
            "assembly": assembly.get(function, ""),
        }
        size += sum(map(len, texts.values()))
        if size > _MOST_CODE:
            break
        found[function] = texts
    return found


def _by_function(assembly: str) -> dict[str, str]:
    """The assembly of each function of a module."""
    labels = [found for found in _FUNCTION.finditer(assembly) if not found[1].startswith(".")]
    ends = [*(label.start() for label in labels[1:]), len(assembly)]
    return {
        label[1]: assembly[label.start() : end] for label, end in zip(labels, ends, strict=True)
    }
