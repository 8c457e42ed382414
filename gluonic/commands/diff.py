"""``gluonic diff A B``: what differs between two models, whatever their names, or between arrays."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic.drawing.difference import Difference
from gluonic.gluon.parameter_dict import without_kind
from gluonic.graph import Node
from gluonic.ndarray import NDArray
from gluonic.support.record import record
from gluonic.symbol.plotting import difference_of, drawing_of_found
from gluonic.tools.array_differences import Tolerance, how_different
from gluonic.tools.array_files import ARRAY_FILES, load_arrays
from gluonic.tools.command import DONE, NO, Answer, CommandError
from gluonic.tools.drawing_files import FORMATS, check_format, write_drawing
from gluonic.tools.file_kinds import held_in
from gluonic.tools.model_files import add_shapes, load_network, load_parameters

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two files, and what counts as equal."""
    add = parser.add_argument
    add("old", metavar="A", help="symbol JSON, or arrays")
    add("new", metavar="B", help="another of the same kind")
    add("--rtol", type=float, default=0.0, help="relative tolerance of elements, by default 0")
    add("--atol", type=float, default=0.0, help="absolute tolerance of elements, by default 0")
    add(
        "--no-params",
        action="store_true",
        help="compare networks only, not the parameters beside them",
    )
    add("--output", metavar="FILE", help=f"draw what differs between networks: {FORMATS}")
    add_shapes(parser)


def run(options: argparse.Namespace) -> Answer:
    """Compare two files."""
    old, new = Path(options.old), Path(options.new)
    tolerance = Tolerance(options.rtol, options.atol)
    hold_arrays = [held_in(file) in ARRAY_FILES for file in (old, new)]
    if hold_arrays[0] != hold_arrays[1]:
        kinds = [f"{file} holds {held_in(file).value}" for file in (old, new)]
        raise CommandError(f"{' and '.join(kinds)}: they cannot be compared")
    if hold_arrays[0]:
        if options.output is not None:
            raise CommandError("--output draws networks, not arrays")
        before, after = (
            {without_kind(name): array for name, array in load_arrays(file).items()}
            for file in (old, new)
        )
        arrays = _compare(before, after, {name: name for name in before}, tolerance)
        return _answer({}, [], arrays)
    return _of_networks(old, new, options, tolerance)


def _of_networks(old: Path, new: Path, options: argparse.Namespace, tolerance: Tolerance) -> Answer:
    if options.output is not None:
        check_format(Path(options.output))
    before, after = (load_network(file).graph() for file in (old, new))
    found = difference_of(before, after, dict(options.shape))
    pairs = {a.name: b.name for a, b in found.matched.items() if a.is_variable}
    old_values, new_values = (
        {} if options.no_params else _of_graph(load_parameters(None, file), graph.variables)
        for file, graph in ((old, before), (new, after))
    )
    arrays = _compare(old_values, new_values, pairs, tolerance)
    if options.output is not None:
        write_drawing(Path(options.output), drawing_of_found(found, f"{old} → {new}"))
    facts: dict[str, Any] = {
        "operators": _operators(found),
        "renamed": {a: b for a, b in pairs.items() if a != b},
    }
    lines = [f"operators: {found.marks.summary}", *_lines_of(found)]
    return _answer(facts, lines, arrays)


def _of_graph(arrays: Mapping[str, NDArray], variables: Sequence[Node]) -> dict[str, NDArray]:
    names = {node.name for node in variables}
    return {name: array for name, array in arrays.items() if name in names}


def _operators(found: Difference) -> list[dict[str, Any]]:
    return [
        {
            "name": node.name,
            "operator": node.operator_name,
            "change": kind,
            "notes": [*found.marks.notes.get(node, ())],
        }
        for node, kind in found.marks.kinds.items()
    ]


def _lines_of(found: Difference) -> list[str]:
    return [
        f"  {_SIGNS[one['change']]} {one['operator']} {one['name']}"
        + "".join(f"\n      {note}" for note in one["notes"])
        for one in _operators(found)
    ]


# ------------------------------------------------------------------------------------- arrays


@record
class _Arrays:
    """What differs between arrays: their names, for changed ones with how."""

    equal: list[str]
    changed: dict[str, str]
    added: list[str]
    removed: list[str]

    @property
    def differ(self) -> bool:
        """Whether anything does."""
        return bool(self.changed or self.added or self.removed)


def _compare(
    old: Mapping[str, NDArray],
    new: Mapping[str, NDArray],
    pairs: Mapping[str, str],
    tolerance: Tolerance,
) -> _Arrays:
    """Compare arrays; a name in the new file follows from that in the old one."""
    partners = {a: b for a, b in pairs.items() if a in old and b in new}
    differences = {b: how_different(old[a], new[b], tolerance) for a, b in sorted(partners.items())}
    matched = set(partners.values())
    return _Arrays(
        [name for name, how in differences.items() if how is None],
        {name: how for name, how in differences.items() if how is not None},
        [name for name in new if name not in matched],
        [name for name in old if name not in partners],
    )


def _answer(facts: Mapping[str, Any], lines: list[str], arrays: _Arrays) -> Answer:
    differ = arrays.differ or bool(facts.get("operators"))
    counts = (
        f"{len(arrays.added)} added, {len(arrays.removed)} removed, {len(arrays.changed)} changed"
    )
    lines = [*lines, f"arrays: {counts}, {len(arrays.equal)} equal"]
    lines += [f"  + {name}" for name in arrays.added]
    lines += [f"  - {name}" for name in arrays.removed]
    lines += [f"  ~ {name}: {how}" for name, how in arrays.changed.items()]
    more = {
        "arrays": {
            "added": arrays.added,
            "removed": arrays.removed,
            "changed": arrays.changed,
            "equal": arrays.equal,
        }
    }
    return Answer({"differ": differ, **facts, **more}, lines, NO if differ else DONE)
