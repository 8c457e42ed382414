"""What cannot be in a library: what Python runs, what is written to, code from elsewhere."""

from collections.abc import Sequence

from gluonic.codegen.inspection.explain import why_in_python
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.native.specialization import Specialization
from gluonic.graph import Node
from gluonic.graph.errors import NotThereError, describe, present


class LibraryError(NotThereError):
    """A net cannot be a library."""


_MOST_LINES = 3


def check(spec: Specialization) -> None:
    """Raise an error that lists all that keeps machine code from being a library.

    Raises
    ------
    LibraryError
        if there is anything
    """
    reasons: dict[Node, str] = {}
    for group in spec.groups:
        if group.step is not None and group.step.is_foreign:
            reasons[group.nodes[-1]] = "an extension library computes it"
        elif not group.is_native:
            reasons[group.nodes[-1]] = why_in_python(group)
    written = [spec.inputs[index].name for index in spec.call.written]
    if not reasons and not written:
        assert not _is_kept(spec)
        return
    count = len(reasons) + len(written)
    facts = [*_listed(reasons), *(f"the state {name!r} is changed by calls" for name in written)]
    raise LibraryError(
        describe(
            f"{count} {'thing' if count == 1 else 'things'} in the net cannot be in a library",
            where="export_library",
            facts=facts,
            hint="replace these operators (docs/native.md lists what is machine code), "
            "or cut the graph before them (docs/surgery.md)",
        )
    )


def _listed(reasons: dict[Node, str]) -> list[str]:
    """For each operator and reason, the number of nodes, and some of the user's lines."""
    groups: dict[tuple[str, str], list[Node]] = {}
    for node, reason in reasons.items():
        groups.setdefault((node.operator_name, reason), []).append(node)
    facts: list[str] = []
    for (operator, reason), nodes in sorted(groups.items(), key=lambda item: -len(item[1])):
        facts.append(f"{operator} ×{len(nodes)}: {reason}; for example {nodes[0].name!r}")
        lines = dict.fromkeys(str(present(node.location)) for node in nodes if node.location)
        facts.extend(f"  {line}" for line in [*lines][:_MOST_LINES])
    return facts


def _is_kept(spec: Specialization) -> bool:
    """Whether steps of calls keep results until the next call."""
    prepacked: Sequence[Group] = spec.prepacked
    written = {entry for group in prepacked for entry in spec.written_by(group)}
    return any(buffer not in written for buffer in spec.buffers.persistent)


__all__ = ["LibraryError", "check"]
