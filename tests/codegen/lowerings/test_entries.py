"""Entries of operators stand in the file of their family, and name rules that are there."""

import ast
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from gluonic.codegen import lowerings
from gluonic.codegen.loops.draws import masks
from gluonic.codegen.lowerings.entry import FAMILIES, lower, lowering_of, rule_at
from gluonic.graph.operator import REGISTRY, Operator
from gluonic.graph.ops.ctc_loss import ctc_losses
from gluonic.graph.ops.recurrent import masked_rnn
from tests.cases import over

INNER = (ctc_losses, masked_rnn, masks)
"""Operators of families that only passes make."""


def entered(path: Path) -> Iterator[str]:
    """The operators that have entries in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lower":
            yield from (ast.literal_eval(name) for name in node.args)


def test_every_file_of_a_family_is_read() -> None:
    files = {module.name for module in pkgutil.iter_modules(lowerings.__path__)}
    assert files - {"entry"} == FAMILIES


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_file_has_entries_of_operators_of_its_family(family: str) -> None:
    families = {
        op.name: op.kernel.__module__.rpartition(".")[2] for op in (*REGISTRY.operators(), *INNER)
    }
    (folder,) = map(Path, lowerings.__path__)
    assert {families[name] for name in entered(folder / f"{family}.py")} == {family}


@over("op", [*REGISTRY.operators(), *INNER], lambda op: op.kernel.__module__, lambda op: op.name)
def test_entries_name_existing_rules(op: Operator) -> None:
    entry = lowering_of(op)
    values = [getattr(entry, field.name) for field in fields(entry) if field.name != "python"]
    values += [entry.layout.plain, entry.layout.blocked]
    for rule in (value for value in values if isinstance(value, str) and ":" in value):
        assert callable(rule_at(rule)), rule


def test_an_operator_has_one_entry() -> None:
    lowering_of(REGISTRY["Pooling"])
    with pytest.raises(ValueError, match="Pooling has an entry"):
        lower("Pooling")
