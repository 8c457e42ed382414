"""The tests on the oldest and on the newest packages that pyproject.toml allows.

``python -m tests.versions [--only oldest] [--python PYTHON] [PYTEST'S ARGUMENTS]`` makes an
environment for each beside `.venv`, once, and reports at the end which of them failed. Environments are
removed to get newer packages.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

HOME = Path(__file__).parent.parent
PYTEST = ("-q", "-n", "auto", "--hypothesis-profile=ci", "-p", "no:cacheprovider")


def _oldest(required: Sequence[str]) -> list[str]:
    """Each package in the oldest version that is allowed."""
    return [re.sub(">=", "==", requirement) for requirement in required]


def _newest(required: Sequence[str]) -> list[str]:
    """Each package in the newest version that there is."""
    return list(required)


def _on_numpy_1(required: Sequence[str]) -> list[str]:
    """The newest of all that go with NumPy 1, which libraries of MXNet's time ask for."""
    return [*required, "numpy<2"]


ENVIRONMENTS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "oldest": _oldest,
    "newest": _newest,
    "numpy1": _on_numpy_1,
}


def _made(name: str, python: str) -> Path:
    """The Python of an environment, which is made unless it is there."""
    folder = HOME / f".venv-{name}"
    inside = folder / "bin" / "python"
    complete = folder / "installed"
    if not complete.exists():
        project = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        install = [str(inside), "-m", "pip", "install", "--quiet"]
        subprocess.run([*install, "--upgrade", "pip>=25.1"], check=True)
        packages = ENVIRONMENTS[name](project["dependencies"])
        subprocess.run(
            [*install, "--editable", ".", *packages, "--group", "test"], cwd=HOME, check=True
        )
        complete.touch()
    return inside


def _passes(name: str, python: str, arguments: Sequence[str]) -> bool:
    inside = _made(name, python)
    print(f"=== {name}", flush=True)
    subprocess.run([inside, "-m", "pip", "list", "--exclude-editable"], check=True)
    return subprocess.run([inside, "-m", "pytest", *PYTEST, *arguments], cwd=HOME).returncode == 0


def main() -> int:
    """Run the tests everywhere; how many environments failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=ENVIRONMENTS, help="one environment")
    parser.add_argument(
        "--python", default=sys.executable, help="what the environments are made with"
    )
    chosen, arguments = parser.parse_known_args()
    names = [chosen.only] if chosen.only else list(ENVIRONMENTS)
    failed = [name for name in names if not _passes(name, chosen.python, arguments)]
    print("failed:", ", ".join(failed) or "none")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
