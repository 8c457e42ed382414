"""``gluonic upgrade OLD NEW``: a file of an older MXNet as MXNet 1.9.1 would write it."""

import argparse
import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gluonic import ndarray as nd
from gluonic.graph.json.placeholder import unknown_operators
from gluonic.ndarray.serialization import V1, V2, V3
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.model_files import load_network

_FORMATS = {
    V1: "1 (MXNet 0.9 to 0.12)",
    V2: "2 (MXNet 1.0 and later)",
    V3: "3 (MXNet 1.6 and later, shapes of NumPy)",
}
_FIRST_ARRAY = 24  # bytes before it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the two files."""
    parser.add_argument("source", metavar="OLD", help="symbol JSON or parameters of any version")
    parser.add_argument(
        "target", metavar="NEW", nargs="?", help="the file to write; without it, nothing is written"
    )


def run(options: argparse.Namespace) -> Answer:
    """Read a file of any version and write today's."""
    source = Path(options.source)
    held = held_in(source)
    if held not in (Held.NETWORK, Held.PARAMETERS):
        raise CommandError(
            f"{source} holds {held.value}", hint="symbol JSON or parameters that MXNet wrote"
        )
    upgrade = _upgrade_network if held is Held.NETWORK else _upgrade_parameters
    answer = upgrade(source, options.target)
    if options.target is None:
        return Answer(answer.facts, [*answer.lines, "nothing is written: name a second file"])
    return Answer({**answer.facts, "written": options.target}, [*answer.lines, options.target])


def _upgrade_parameters(source: Path, target: str | None) -> Answer:
    with source.open("rb") as stream:
        start = stream.read(_FIRST_ARRAY + 4)
    arrays = nd.load(source)
    number = struct.unpack("<I", start[_FIRST_ARRAY:])[0] if arrays else 0
    version = _FORMATS.get(number, "0 (MXNet before 0.9)") if arrays else "any: it is empty"
    if target is not None:
        nd.save(target, arrays)
    facts = {"version": version, "arrays": len(arrays)}
    return Answer(facts, [f"{source}: {len(arrays):,} arrays in format {version}"])


def _upgrade_network(source: Path, target: str | None) -> Answer:
    network = load_network(source)
    old, new = json.loads(source.read_text()), json.loads(network.tojson(remove_amp_cast=False))
    changes = [*_changes(old["nodes"], new["nodes"])]
    unknown = [*dict.fromkeys(n.operator_name for n in unknown_operators(network.graph()))]
    if target is not None:
        network.save(target, remove_amp_cast=False)
    versions = [_version(one) for one in (old, new)]
    facts = {"versions": versions, "changes": changes, "unknown operators": unknown}
    lines = [f"{source}: MXNet {versions[0]} → {versions[1]}, {len(changes):,} changes", *changes]
    lines += [f"gluonic has no operator {name}; it is kept as it is" for name in unknown]
    return Answer(facts, lines)


def _version(document: Mapping[str, Any]) -> str:
    """The version that wrote a document: 10901 stands for 1.9.1."""
    number = document.get("attrs", {}).get("mxnet_version", ["int", 0])[1]
    if not isinstance(number, int) or not number:
        return "before 0.9"
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def _changes(old: list[Any], new: list[Any]) -> Iterator[str]:
    """What changes in the nodes, which have the same order and the same names."""
    later = {node["name"]: node for node in new}
    for node in old:
        name, now = node["name"], later.pop(node["name"], None)
        if now is None:
            yield f"{name}: is no longer there"
            continue
        before, after = _attributes(node), now.get("attrs", {})
        for key, text in before.items():
            if key not in after:
                yield f"{name}: {key}={text} moves or is the default"
            elif text != after[key]:
                yield f"{name}: {key}={text} → {after[key]}"
        yield from (f"{name}: {key}={after[key]} is new" for key in after if key not in before)
        more = len(now["inputs"]) - len(node["inputs"])
        if more:
            yield f"{name}: {more} more inputs"
    for name in later:
        yield f"{name}: is new"


def _attributes(node: Mapping[str, Any]) -> dict[str, str]:
    """The attributes of a node in a file of any version."""
    return {
        key: text
        for field in ("param", "attr", "attrs")
        for key, text in node.get(field, {}).items()
    }
