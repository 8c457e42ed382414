"""The example that learns a grammar learns it."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples/bucketing/language_model.py"


def test_a_model_of_sentences_hesitates_between_three_words() -> None:
    assert 2 < runpy.run_path(str(EXAMPLE))["main"](count=600) < 4
