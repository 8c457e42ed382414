"""Holds the table of removals against installed packages.

Run ``python -m tests.face.removal_table PYTHON …`` with the interpreters of environments that have older and
newer versions. It prints the places that their packages have and should not, or should have and have not.
Methods of objects of unknown type, and calls that now fail, are not looked at.
"""

import json
import subprocess
import sys
from collections.abc import Sequence

from gluonic.tools.removals import PACKAGES

_LOOK = """
import importlib, inspect, json, sys, warnings
from importlib.metadata import PackageNotFoundError, version
warnings.simplefilter("ignore")

def find(root, place):
    value, name = importlib.import_module(root), root
    for part in place.split("."):
        name = f"{name}.{part}"
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(name)
    return value

def is_there(root, place):
    name, _, keyword = place.rstrip(")").partition("(")
    try:
        value = find(root, name)
    except (ImportError, AttributeError):
        return False
    if not keyword:
        return True
    return keyword in inspect.signature(value).parameters

found = {}
for root, (name, places) in json.load(sys.stdin).items():
    try:
        importlib.import_module(root)
        found[name] = version(name), [place for place in places if is_there(root, place)]
    except (ImportError, PackageNotFoundError):
        pass
print(json.dumps(found))
"""


def _key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def main(interpreters: Sequence[str]) -> int:
    """Print what differs; return how much does."""
    asked = {
        root: (package.name, [p for of in package.removed.values() for p in of if _can_be_found(p)])
        for root, package in PACKAGES.items()
    }
    differences = 0
    for python in interpreters:
        answer = subprocess.run(
            [python, "-c", _LOOK],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=True,
        )
        installed = json.loads(answer.stdout)
        for package in PACKAGES.values():
            version, there = installed.get(package.name, ("", []))
            for gone, places in package.removed.items() if version else ():
                for place in filter(_can_be_found, places):
                    is_expected = _key(version) < _key(gone)
                    if is_expected != (place in there):
                        word = "lacks" if is_expected else "has"
                        print(f"{python}: {package.name} {version} {word} {place}, gone in {gone}")
                        differences += 1
    return differences


def _can_be_found(place: str) -> bool:
    return not place.startswith(".") and "(!" not in place and not place.endswith("()")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
