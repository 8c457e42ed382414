"""What messages tell to install is what pyproject.toml lists."""

import re
import tomllib
from pathlib import Path

from gluonic.support.extras import how_to_install

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


def test_messages_name_the_packages_of_the_extras() -> None:
    for extra in ("bfloat16", "image", "mpi"):
        names = [re.split("[<>=]", one)[0] for one in _PROJECT["optional-dependencies"][extra]]
        assert how_to_install(extra) == f"pip install {' '.join(names)}"
