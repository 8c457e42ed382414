"""The modules of the page's script, in Node.js where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from gluonic.drawing.page.writer import script

TESTS = sorted((Path(__file__).parent / "script").glob("*.test.js"))
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_the_modules_pass_their_own_tests(path: Path) -> None:
    assert NODE is not None
    done = subprocess.run([NODE, "--test", str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(NODE is None, reason="needs Node.js")
def test_the_joined_script_is_well_formed(tmp_path: Path) -> None:
    assert NODE is not None
    joined = tmp_path / "page.cjs"
    joined.write_text(script())
    done = subprocess.run([NODE, "--check", str(joined)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_module_comes_after_those_that_it_imports() -> None:
    text = script()
    assert text.index("const rows_js") < text.index("const layout_js") < text.index("const page_js")
    assert "import " not in text.replace("@import", "")
