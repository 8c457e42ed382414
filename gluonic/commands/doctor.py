"""``gluonic doctor script.py``: which names of MXNet a program uses that gluonic lacks."""

import argparse
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import gluonic
from gluonic.graph.errors import FileFormatError, MissingModuleError, MissingNameError, nearest
from gluonic.removed_names import NAMES
from gluonic.support.record import record
from gluonic.tools.command import DONE, NO, Answer, CommandError
from gluonic.tools.dialects import ONE, PACKAGES, TWO, Evidence, dialect_of, evidence_of, member
from gluonic.tools.program_uses import (
    FUNCTIONS,
    ProgramUses,
    UsedName,
    is_foreign,
    program_files,
    read_program,
)

_MISSING, _UNKNOWN, _ARGUMENT = "missing", "unknown", "argument"
_GPU, _RESTORED, _PACKAGE = "gpu", "restored", "package"
_HINDERS = {_MISSING, _UNKNOWN, _ARGUMENT, _PACKAGE}
"""The kinds of findings with which a program does not run."""
_PACKAGES = ("mxnet", "gluonic")
_SHOWN = 3
"""The names that show people which MXNet a program is for; programs get all."""
_SPACES = {FUNCTIONS: ("mxnet.nd", "mxnet.sym")}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the programs."""
    parser.add_argument("programs", nargs="+", help="scripts, or folders with them")


def run(options: argparse.Namespace) -> Answer:
    """Look through programs."""
    reports = [_examined(file) for one in options.programs for file in _files(Path(one))]
    lines = [line for report in reports for line in report.lines()]
    hinders = any(finding.kind in _HINDERS for report in reports for finding in report.findings)
    return Answer([report.facts for report in reports], lines, NO if hinders else DONE)


def _files(path: Path) -> list[Path]:
    files = [*program_files(path)]
    if not files:
        raise CommandError(f"{path} has no file that ends with .py")
    return files


@record
class _ProgramFinding:
    """Something about a line."""

    kind: str
    line: int
    text: str


@record
class _Report:
    """What a program uses, and what is wrong with it."""

    file: Path
    names: list[str]
    findings: list[_ProgramFinding]
    evidence: list[Evidence]

    @property
    def facts(self) -> dict[str, Any]:
        """The report for programs."""
        findings = [{"kind": f.kind, "line": f.line, "text": f.text} for f in self.findings]
        evidence = [
            {"mxnet": e.version, "line": e.line, "name": e.name, "other": e.other}
            for e in self.evidence
        ]
        return {
            "program": str(self.file),
            "names": self.names,
            "mxnet": dialect_of(self.evidence),
            "evidence": evidence,
            "findings": findings,
        }

    def lines(self) -> Iterator[str]:
        """The report for people."""
        count = len(self.names)
        told = f"{count} name{'s' * (count != 1)} of MXNet"
        wrong = sum(finding.kind in _HINDERS for finding in self.findings)
        yield f"{self.file}: {told}, {f'{wrong} in the way' if wrong else 'nothing in the way'}"
        for version in (ONE, TWO):
            tells = [str(e) for e in self.evidence if e.version == version]
            if tells:
                more = f"; {len(tells) - _SHOWN} more" if len(tells) > _SHOWN else ""
                how = "; run it with gluonic --mxnet 2" if dialect_of(self.evidence) == TWO else ""
                yield f"  speaks MXNet {version}: {'; '.join(tells[:_SHOWN])}{more}{how}"
        for finding in self.findings:
            yield f"  line {finding.line}, {finding.kind}: {finding.text}"


def _examined(file: Path) -> _Report:
    """Examine a program's text."""
    try:
        program = read_program(file, str(file))
    except (SyntaxError, ValueError) as error:
        raise FileFormatError(f"{file}: this is no program for Python 3: {error}") from error
    uses = [_as_mxnet(use) for use in program.uses if use.root in (*_PACKAGES, FUNCTIONS)]
    evidence = evidence_of([*uses, *(use for use in program.uses if use.what.startswith("."))])
    package = importlib.import_module(PACKAGES.get(dialect_of(evidence), PACKAGES[ONE]))
    findings = [finding for use in uses for finding in _of_use(use, package)]
    if any(use.what == "mxnet.library.load" for use in uses):  # it brings operators
        findings = [f for f in findings if f.kind != _UNKNOWN]
    findings += _restored(program)
    findings += _not_installed(program, file)
    names = {use.what.replace("mxnet.", "mx.", 1) for use in uses if "." in use.what}
    shown = sorted(name for name in names if "(" not in name)
    return _Report(
        file, shown, sorted(dict.fromkeys(findings), key=lambda f: (f.line, f.kind)), evidence
    )


# ------------------------------------------------------------------------------------- MXNet's names


def _as_mxnet(use: UsedName) -> UsedName:
    """A use of gluonic as one of MXNet."""
    package, dot, rest = use.what.partition(".")
    return replace(use, what=f"mxnet{dot}{rest}") if package == "gluonic" else use


def _of_use(use: UsedName, package: ModuleType) -> Iterator[_ProgramFinding]:
    """What is wrong with a use, for a program that is served a package."""
    (whole, keyword), is_call = use.split(), use.what.endswith(")")
    if is_call and not keyword:
        return
    first, _, rest = whole.partition(".")
    for space in _SPACES.get(first, (first,)):
        name = f"{space}.{rest}" if rest else space
        value = _resolved(name, use, package)
        if isinstance(value, _ProgramFinding):
            yield value
            return
        if keyword:
            yield from _of_keyword(name, value, keyword, use)
    if use.what == "mxnet.gpu" and not gluonic.context.num_gpus():
        yield _ProgramFinding(
            _GPU, use.line, "there is no GPU here; gluonic --cpu lets the CPU serve mx.gpu(i)"
        )


def _resolved(name: str, use: UsedName, package: ModuleType) -> Any:
    """What gluonic has for a name, or a finding; None for what belongs to a value."""
    value: Any = package
    shown = name.replace("mxnet", "mx", 1)
    for part in name.split(".")[1:]:
        if not isinstance(value, (ModuleType, type)):
            return None
        try:
            value = member(value, part)
        except (MissingNameError, MissingModuleError) as error:
            return _ProgramFinding(_MISSING, use.line, str(error).splitlines()[0])
        except AttributeError:
            told = f"{shown}: {_shown(value)} has no {part!r}"
            of_two = next((e for e in evidence_of([use]) if e.version == TWO), None)
            how = (
                nearest(part, dir(value))
                if of_two is None
                else f"; MXNet 2.0 has it{of_two.counterpart}"
            )
            return _ProgramFinding(_UNKNOWN, use.line, told + how)
    return value


def _shown(value: Any) -> str:
    """The name of a module or class of gluonic as MXNet's."""
    name: str = value.__name__.removeprefix(PACKAGES[TWO]).removeprefix(PACKAGES[ONE])
    return f"mx{name}" if name != value.__name__ else name


def _of_keyword(name: str, value: Any, keyword: str, use: UsedName) -> Iterator[_ProgramFinding]:
    """A keyword that what is called does not take."""
    if not callable(value):
        return
    try:
        parameters = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
        return
    if keyword not in parameters:
        shown = name.replace("mxnet", "mx", 1)
        text = f"{shown} takes no {keyword!r}{nearest(keyword, parameters)}"
        yield _ProgramFinding(_ARGUMENT, use.line, text)


# ------------------------------------------------------------------------------------- other packages


def _restored(program: ProgramUses) -> Iterator[_ProgramFinding]:
    """Names that NumPy and Python have dropped, which ``gluonic script.py`` restores."""
    for use in program.uses:
        module, _, name = use.what.rpartition(".")
        if name in NAMES.get(module, {}) and not _is_there(module, name):
            text = f"{use.what} is gone; gluonic restores it for programs that it runs"
            yield _ProgramFinding(_RESTORED, use.line, text)


def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name)
    except ImportError:
        return False


def _not_installed(program: ProgramUses, file: Path) -> Iterator[_ProgramFinding]:
    """Packages that are neither installed nor beside the program."""
    beside = {path.stem for path in file.parent.iterdir()}
    lines: dict[str, int] = {}
    for use in program.imports:
        lines.setdefault(use.root, use.line)
    for package, line in lines.items():
        if is_foreign(package) and package not in beside and find_spec(package) is None:
            yield _ProgramFinding(_PACKAGE, line, f"{package} is not installed")
