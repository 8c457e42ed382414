"""Which MXNet a program is written for, 1.x or 2.0, by the names that only one of them has."""

import importlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

from gluonic.graph.errors import MissingModuleError, MissingNameError
from gluonic.mxnet_names.correspondences import canonical, correspondence, correspondences
from gluonic.support.record import record
from gluonic.tools.program_uses import FUNCTIONS, UsedName

ONE, TWO = "1.x", "2.0"
PACKAGES = {ONE: "gluonic", TWO: "gluonic.mxnet2"}
"""Where the names of each are."""
_ONLY_ONE = {
    "asscalar": ".item()",
    "name_scope": "nothing: parameters are named by their places",
    "hybrid_forward": "forward(self, x)",
}
_ONLY_TWO = {
    "to_device": ".as_in_context()",
    "reset_device": ".reset_ctx()",
    "list_device": ".list_ctx()",
    "share_parameters": "params= of the constructor",
}
_DEVICES = {"ctx": (ONE, "device="), "device": (TWO, "ctx=")}


@record
class Evidence:
    """A name in a program that only one MXNet has.

    Attributes
    ----------
    version : the MXNet that has it, ``"1.x"`` or ``"2.0"``
    line : where it is used
    name : the name, as people write it
    other : what it is called in the other MXNet; empty if that has nothing like it
    """

    version: str
    line: int
    name: str
    other: str

    @property
    def counterpart(self) -> str:
        """What the name is called in the other MXNet, in words behind it."""
        other = TWO if self.version == ONE else ONE
        return f" (in {other}: {self.other})" if self.other else ""

    def __str__(self) -> str:
        """The line, the name, and its counterpart."""
        return f"line {self.line}, {self.name}{self.counterpart}"


def evidence_of(uses: Iterable[UsedName]) -> list[Evidence]:
    """What a program uses that only one MXNet has, in order of lines.

    Parameters
    ----------
    uses : what it uses; names of MXNet begin with ``mxnet.``
    """
    found = {(e.version, e.name): e for use in reversed([*uses]) for e in _of_use(use)}
    return sorted(found.values(), key=lambda e: (e.line, e.name))


def dialect_of(evidence: Iterable[Evidence]) -> str:
    """``"1.x"``, ``"2.0"``, ``"both"``, or ``"either"`` if nothing tells them apart."""
    versions = {one.version for one in evidence}
    if len(versions) == 2:
        return "both"
    return versions.pop() if versions else "either"


def _of_use(use: UsedName) -> Iterator[Evidence]:
    name, keyword = use.split()
    if name.startswith("."):
        yield from _of_method(name[1:], keyword, use.line)
        return
    if use.root == FUNCTIONS:
        if "." in name and not use.what.endswith(")"):
            found = correspondence(f"nd{name[len(FUNCTIONS) :]}")
            other = (
                f"mx.{found[0].after}"
                if found and not found[1] and found[0].after
                else "mx.np, mx.npx"
            )
            yield Evidence(ONE, use.line, name, other)
        return
    if use.root != "mxnet" or use.what.endswith(")"):
        return
    found = correspondence(name)
    if found is not None and found[0].is_gone:
        row, rest = found
        other = f"mx.{row.after}{rest}" if row.after else row.why
        yield Evidence(ONE, use.line, name.replace("mxnet", "mx", 1), other)
    elif "." in name and has_name(name, TWO) and not has_name(name, ONE):
        yield Evidence(TWO, use.line, name.replace("mxnet", "mx", 1), _in_one(canonical(name)))


def _of_method(method: str, keyword: str, line: int) -> Iterator[Evidence]:
    if method in _ONLY_ONE:
        yield Evidence(ONE, line, f".{method}()", _ONLY_ONE[method])
    elif method in _ONLY_TWO:
        yield Evidence(TWO, line, f".{method}()", _ONLY_TWO[method])
    if keyword in _DEVICES and method in ("initialize", "load_parameters"):
        version, other = _DEVICES[keyword]
        yield Evidence(version, line, f"{keyword}=", other)


def _in_one(name: str) -> str:
    """What a name of 2.0 is called in 1.x: by the longest module or class above it that has a row."""
    rest = ""
    while name:
        for row in correspondences().values():
            if row.after == name and row.is_gone:
                return f"mx.{row.before}{rest}"
        name, _, last = name.rpartition(".")
        rest = f".{last}{rest}"
    return ""


def has_name(name: str, version: str) -> bool:
    """Whether gluonic has a name of an MXNet.

    Parameters
    ----------
    name : the name, which begins with ``mxnet``; what belongs to values counts as there
    """
    value: Any = importlib.import_module(PACKAGES[version])
    for part in name.split(".")[1:]:
        if not isinstance(value, (ModuleType, type)):
            return True
        try:
            value = member(value, part)
        except (AttributeError, MissingNameError, MissingModuleError):
            return False
    return True


def member(value: Any, name: str) -> Any:
    """An attribute, or a module in a package, which may not be imported yet."""
    try:
        return getattr(value, name)
    except AttributeError:
        if not isinstance(value, ModuleType):
            raise
        with suppress(ModuleNotFoundError):
            return importlib.import_module(f"{value.__name__}.{name}")
        raise
