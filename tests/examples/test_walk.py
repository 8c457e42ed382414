"""The walk through the sources in docs/ is true."""

import doctest
import re
from pathlib import Path

from gluonic.symbol.naming import NameManager

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "walk.md"


def test_the_lines_of_the_walk_run() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with NameManager():
        failed, run = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert run > 20
    assert not failed


def test_files_that_the_walk_names_are_there() -> None:
    named = re.findall(r"`(gluonic/[\w/]+(?:\.py|/))`", PAGE.read_text())
    assert len(named) > 10
    assert not [name for name in named if not (ROOT / name).exists()]
