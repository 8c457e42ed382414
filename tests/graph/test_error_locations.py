"""The line that an error cites is the user's, not one of a library that called gluonic for them."""

import contextlib
import unittest.mock
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gluonic import nd
from gluonic.graph.errors import InferenceError
from tests.face.commands import gluonic_command

wrong = partial(nd.broadcast_add, nd.ones((2,)), nd.ones((3,)))


def by_a_context() -> None:
    with contextlib.ExitStack() as stack:
        stack.callback(wrong)


def by_a_mock() -> None:
    unittest.mock.Mock(side_effect=wrong)()


@pytest.mark.parametrize("call", [wrong, by_a_context, by_a_mock])
def test_lines_of_the_standard_library_are_not_cited(call: Callable[[], object]) -> None:
    with pytest.raises(InferenceError) as caught:
        call()
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


@pytest.mark.parametrize(("folder", "is_cited"), [("site-packages", True), ("", False)])
def test_libraries_installed_beside_the_standard_library_are_cited(
    folder: str, is_cited: bool
) -> None:
    """A library that is written for MXNet may be at fault."""
    library = str(Path(contextlib.__file__).parent / folder / "some_library.py")
    names: dict[str, Any] = {}
    exec(compile("def call(function):\n    function()\n", library, "exec"), names)
    with pytest.raises(InferenceError) as caught:
        names["call"](wrong)
    assert caught.value.location is not None
    assert (caught.value.location.file == library) == is_cited


def test_a_missing_module_is_reported_at_the_import(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("\nimport mxnet.rtc\n")
    told = gluonic_command("program.py", folder=tmp_path).stderr.splitlines()[-1]
    assert f'(File "{tmp_path / "program.py"}", line 2, in <module>)' in told
