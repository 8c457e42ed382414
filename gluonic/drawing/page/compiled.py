"""The description of a compiled graph on a page: steps, their reasons, code, memory and times."""

import re
from collections.abc import Mapping
from typing import Any

from gluonic.codegen import Explanation
from gluonic.codegen.machine.module_text import part_of
from gluonic.drawing.page.packing import packed
from gluonic.drawing.page.passes import pass_pages
from gluonic.drawing.page.times import Times, owner_of, time_facts
from gluonic.graph import Graph, Node

_MOST_CODE = 6_000_000
_FUNCTION = re.compile(r"^([A-Za-z_][\w.$]*):", re.MULTILINE)


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
    steps = []
    for step, origins in zip(explanation.steps, explanation.origins, strict=True):
        nodes = [node for node in origins if node in numbers]
        made: dict[str, Any] = {
            "kind": step.kind,
            "shape": list(step.shape),
            "why": step.why,
            "operators": list(step.operators),
            "function": step.function,
            "nodes": [numbers[node] for node in nodes],
            "location": step.location,
            "apart": [list(pair) for pair in step.apart],
        }
        if step.reason.startswith("only"):
            made["kept"] = 1
        if (owner := owner_of(nodes)) is not None:
            made["owner"] = numbers[owner]
        steps.append(made)
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
        found["times"] = time_facts(times, numbers)
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
