"""Loops and branches, as Python's."""

from collections.abc import Sequence
from typing import Any

from gluonic.pytorch.code import Statements, indented
from gluonic.pytorch.table import emits


def _assigned(targets: Sequence[str], values: Sequence[str]) -> list[str]:
    """An assignment of several values at once."""
    pairs = [pair for pair in zip(targets, values, strict=True) if pair[0] != pair[1]]
    if not pairs:
        return []
    return [f"{', '.join(name for name, _ in pairs)} = {', '.join(value for _, value in pairs)}"]


@emits("If")
def _(n: Any) -> str:
    condition, targets = n[0], n.targets()
    lines = []
    for word, name in ((f"if {condition}:", "then_branch"), ("else:", "else_branch")):
        statements, results = n.block(n.get(name))
        lines += [word, *indented([*statements, *_assigned(targets, results)])]
    return Statements("\n".join(lines))


@emits("Scan")
def _(n: Any) -> str:
    body = n.get("body")
    count = len(body.inputs) - n.get("num_scan_inputs")
    begin, slices = n.all()[:count], n.all()[count:]
    targets = n.targets()
    states, stacked = targets[:count], targets[count:]
    lists = [n.new_variable(f"{name}_steps") for name in stacked]
    each = [n.new_variable(f"{n.scope}_slice") for _ in slices]
    statements, results = n.block(body, *states, *each)
    over = slices[0] if len(slices) == 1 else f"zip({', '.join(slices)})"
    kept = [f"{steps}.append({one})" for steps, one in zip(lists, results[count:], strict=True)]
    inside = [*statements, *kept, *_assigned(states, results[:count])]
    lines = [
        *_assigned(states, begin),
        *(f"{steps} = []" for steps in lists),
        f"for {', '.join(each)} in {over}:",
        *indented(inside),
        *(f"{name} = torch.stack({steps})" for name, steps in zip(stacked, lists, strict=True)),
    ]
    return Statements("\n".join(lines))


@emits("Loop")
def _(n: Any) -> str:
    body = n.get("body")
    (limit,), condition, begin = n.sizes(0), n[1], n.all()[2:]
    targets, count = n.targets(), len(begin)
    states, stacked = targets[:count], targets[count:]
    lists = [n.new_variable(f"{name}_steps") for name in stacked]
    goes_on, step = n.new_variable(f"{n.scope}_goes_on"), n.new_variable(f"{n.scope}_step")
    statements, results = n.block(body, step, goes_on, *states)
    new, outputs = results[: 1 + count], results[1 + count :]
    kept = [f"{steps}.append({one})" for steps, one in zip(lists, outputs, strict=True)]
    lines = [
        *_assigned([goes_on, *states], [condition, *begin]),
        *(f"{steps} = []" for steps in lists),
        f"for {step} in range({limit}):",
        *indented([f"if not {goes_on}:", "    break"]),
        *indented([*statements, *kept, *_assigned([goes_on, *states], new)]),
        *(f"{name} = torch.stack({steps})" for name, steps in zip(stacked, lists, strict=True)),
    ]
    return Statements("\n".join(lines))
