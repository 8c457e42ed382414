"""The example that finds objects learns to find them."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/detection/ssd.py"


def test_most_objects_of_new_pictures_are_found() -> None:
    pytest.importorskip("cv2")
    assert runpy.run_path(str(EXAMPLE))["main"](pictures=224) > 0.75
