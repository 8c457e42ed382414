"""Which packages a program needs: ``python -m gluonic info --for script.py``."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.removed_keywords import KEYWORDS
from gluonic.removed_methods import METHODS
from gluonic.removed_names import NAMES
from gluonic.support.record import record
from gluonic.tools.program_uses import uses_of
from gluonic.tools.removals import INDEX_NAMES, PACKAGES, PYTHON, Package

_PLACES_SHOWN = 3
_SCIPYS_OWN = {"show_config", "test"}


@record
class Need:
    """Something that a package has removed.

    Attributes
    ----------
    what : the name, the keyword or the method
    gone : the first version without it
    instead : what does the same in newer versions, or nothing
    places : where it is used, as ``"file:line"``
    """

    what: str
    gone: str
    instead: str
    places: list[str]


@record
class Needs:
    """What a program needs beside gluonic.

    Attributes
    ----------
    files : the files that were read
    pins : what pip is asked for, by package, such as ``{"pandas": "<2.0"}``
    needs : why, by package
    unavailable : what no version for Python 3.11 or newer has, by package
    restored : what ``python -m gluonic`` restores
    python : the newest Python for which there are such versions; None if any will do
    unreadable : files that are not Python 3: ``"file:line: what is wrong"``
    packages : all packages that pip is asked for, with their pins
    """

    files: list[str]
    pins: dict[str, str] = field(default_factory=dict)
    needs: dict[str, list[Need]] = field(default_factory=dict)
    unavailable: dict[str, list[Need]] = field(default_factory=dict)
    restored: list[Need] = field(default_factory=list)
    python: str | None = None
    unreadable: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return dictionaries, lists and strings."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """The advice, ending with a line for pip."""
        yield (
            f"{len(self.files)} files read, from {self.files[0]} on"
            if self.files
            else "no Python files"
        )
        for name, needs in self.needs.items():
            yield f"{name}{self.pins.get(name, '')}, the last to have:"
            yield from map(_row, needs)
        if "numpy" in self.pins:
            yield f"numpy{self.pins['numpy']}, for which those versions are built"
        for name, needs in self.unavailable.items():
            kind = "" if name == "Python" else f" {name} for"
            yield f"no{kind} Python {PYTHON.first} or newer has (change the program):"
            yield from map(_row, needs)
        if self.restored:
            yield "python -m gluonic restores:"
            yield from map(_row, self.restored)
        if self.unreadable:
            yield "not Python 3 (try 2to3), and not counted:"
            yield from (f"  {place}" for place in self.unreadable)
        if self.python is not None:
            yield f"These versions run on Python {self.python} or older."
        yield "Not seen: getattr, names imported by *, what other packages use, calls whose results changed."
        if self.packages:
            yield f"pip install {' '.join(self.packages)}"


def _row(need: Need) -> str:
    more = len(need.places) - _PLACES_SHOWN
    places = ", ".join(need.places[:_PLACES_SHOWN]) + (f" and {more} more" if more > 0 else "")
    return f"  {need.what}  {places}" + (f"  (now: {need.instead})" if need.instead else "")


def needs_of(paths: Sequence[Path]) -> Needs:
    """Read programs, and compare what they use with what packages have removed.

    Parameters
    ----------
    paths : scripts, with the modules beside them that they import, or folders
    """
    uses = uses_of(paths)
    collected: dict[tuple[str, str, str, str], list[str]] = {}
    restored: dict[str, list[str]] = {}
    for use in uses.uses:
        if _is_restored(use.what):
            restored.setdefault(use.what, []).append(str(use))
            continue
        for root, package, what, gone, instead in _removed(use.what):
            if package is not PYTHON and use.file not in uses.modules.get(root, ()):
                continue
            places = collected.setdefault((package.name, what, gone, instead), [])
            if str(use) not in places:
                places.append(str(use))
    by_name = {package.name: package for package in (PYTHON, *PACKAGES.values())}
    result = Needs(
        uses.files,
        restored=[Need(what, "", "", places) for what, places in restored.items()],
        unreadable=[f"{use}: {use.what}" for use in uses.unreadable],
    )
    for (name, what, gone, instead), places in collected.items():
        has_none = _key(gone) <= _key(by_name[name].first)
        group = result.unavailable if has_none else result.needs
        group.setdefault(name, []).append(Need(what, gone, instead, places))
    return _with_pins(result, by_name, uses.modules)


def _with_pins(needs: Needs, by_name: Mapping[str, Package], modules: Iterable[str]) -> Needs:
    """Add the versions that have everything, and what follows from them."""
    gone = {name: min((n.gone for n in of), key=_key) for name, of in needs.needs.items()}
    newest = [
        by_name[name].newest_python[version]
        for name, version in gone.items()
        if version in by_name[name].newest_python
    ]
    if "Python" in gone:
        newest.append(_before(gone["Python"]))
    pins = {name: f"<{version}" for name, version in gone.items()}
    is_old = [
        name
        for name, version in gone.items()
        if _key(version) <= _key(by_name[name].with_numpy_2 or "0")
    ]
    if is_old:
        pins["numpy"] = "<2.0"
        newest.append(PACKAGES["numpy"].newest_python["2.0"])
    names = {
        PACKAGES[root].name if root in PACKAGES else INDEX_NAMES.get(root, root) for root in modules
    }
    names = {*names, *pins} - {"Python"}
    return replace(
        needs,
        pins=pins,
        python=min(newest, key=_key, default=None),
        packages=[f"'{n}{pins[n]}'" if n in pins else n for n in sorted(names)],
    )


def _key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _before(version: str) -> str:
    major, minor = _key(version)
    return f"{major}.{minor - 1}"


# ------------------------------------------------------------------------------ the tables


@cache
def _table() -> dict[str, tuple[str, Package, str, str]]:
    """For each place: the package's module, the package, the version without it, and what does the same."""
    found = {}
    for root, package in (("Python", PYTHON), *PACKAGES.items()):
        for gone, places in package.removed.items():
            for place, instead in places.items():
                name = place if place.startswith(".") or root == "Python" else f"{root}.{place}"
                found[re.sub(r"\(!.*\)", "(!)", name)] = root, package, gone, instead
    return found


def _removed(name: str) -> Iterator[tuple[str, Package, str, str, str]]:
    """What a use may need of packages: a name needs the modules that it is in."""
    is_whole = name.startswith(".") or "(" in name
    prefixes = [name] if is_whole else accumulate(name.split("."), lambda a, b: f"{a}.{b}")
    for prefix in prefixes:
        row = _table().get(prefix)
        if row is not None:
            root, package, gone, instead = row
            yield root.partition(".")[0], package, prefix.replace("(!)", "()"), gone, instead


def _is_restored(name: str) -> bool:
    """Whether ``python -m gluonic`` gives it back: a name, a module, a keyword or a method."""
    if name.endswith(("()", "(!)")):
        return False
    called, _, keyword = name.rstrip(")").partition("(")
    module, _, last = called.rpartition(".")
    if keyword:
        return keyword in KEYWORDS.get(f"{module}:{last}", ())
    if not module:
        return name.startswith(".") and any(last in methods for methods in METHODS.values())
    if module == "scipy":
        return last in np.__all__ and last not in _SCIPYS_OWN and callable(getattr(np, last))
    return last in NAMES.get(module, ()) or any(
        f"{holder}.{inner}" == module for holder, names in NAMES.items() for inner in names
    )
