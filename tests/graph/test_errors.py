import ast
import importlib
import inspect
import pickle
import pkgutil
from typing import Any

import pytest

import gluonic
from gluonic.graph.errors import MXNetError, describe
from tests.house import PACKAGE, all_nodes

SAID: dict[str, Any] = {"facts": ["lhs: (2, 3)", "rhs: (4,)"], "hint": "reshape"}


def lines(error: Exception) -> list[str]:
    return str(error).splitlines()


def test_the_first_and_the_last_line_state_what_is_wrong() -> None:
    first, *between, last = lines(MXNetError(describe("the shapes differ", where="add", **SAID)))
    assert first == last == "add: the shapes differ"
    assert [line.split(":")[0].strip() for line in between[:3]] == ["lhs", "rhs", "Try"]
    assert between[3].startswith(f'  File "{__file__}", line ')


@pytest.mark.parametrize("message", ["it is not there", describe("it is not there")])
def test_a_short_message_is_one_line_with_the_users(message: str) -> None:
    (line,) = lines(MXNetError(message))
    assert line.startswith(f'it is not there (File "{__file__}", line ')


def test_facts_found_while_unwinding_stand_between_them() -> None:
    error = MXNetError(describe("it is not there"))
    error.facts.append("looked for it here")
    error.blocks.append("net")
    first, fact, location, block, last = lines(error)
    assert first == last == "it is not there"
    assert (fact, block) == ("  looked for it here", "  in block net")
    assert "File" in location


def test_an_error_within_a_message_is_among_its_facts() -> None:
    inner = MXNetError(describe("the shapes differ", **SAID))
    first, *between, last = lines(MXNetError(describe(f"cannot compute: {inner}")))
    assert first == last == "cannot compute: the shapes differ"
    assert "  lhs: (2, 3)" in between
    assert "  the shapes differ" not in between


@pytest.mark.parametrize("error", [MXNetError(describe("bad", **SAID)), MXNetError("bad")])
def test_errors_have_the_same_message_in_another_process(error: Exception) -> None:
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_other_kinds_of_errors_are_reported_in_the_same_way() -> None:
    first, *_, last = lines(ValueError(describe("bad", **SAID)))
    assert first == last == "bad"


# ---------------------------------------------------------------- all errors that there are


def test_messages_of_several_lines_are_made_by_describe_only() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path, node in all_nodes()
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        for argument in node.exc.args
        for part in ast.walk(argument)
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "\n" in part.value
    ]
    assert not found


def all_kinds() -> list[type[MXNetError]]:
    """The classes of errors of all modules that are told what is wrong, and not an array."""
    for module in pkgutil.walk_packages(gluonic.__path__, "gluonic."):
        if not module.name.startswith("gluonic.served") and "__main__" not in module.name:
            importlib.import_module(module.name)
    found, waiting = {MXNetError}, [MXNetError]
    while waiting:
        new = [k for k in waiting.pop().__subclasses__() if k.__module__.startswith("gluonic.")]
        found.update(new)
        waiting += new
    told = [kind for kind in found if "array" not in inspect.signature(kind).parameters]
    return sorted(told, key=lambda kind: f"{kind.__module__}.{kind.__qualname__}")


def test_the_last_line_of_each_kind_of_error_is_its_summary() -> None:
    kinds = all_kinds()
    assert len(kinds) > 40
    for kind in kinds:
        error = kind(describe("it is wrong", **SAID))
        error.blocks.append("net")
        first, *between, last = lines(error)
        assert first == last, kind
        assert "wrong" in last, kind
        assert between[-1] == "  in block net", kind
