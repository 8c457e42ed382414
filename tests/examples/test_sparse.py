"""The examples with sparse arrays learn, without a dense copy of anything sparse."""

import runpy
import warnings
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples/sparse"


def result_of(name: str, **settings: Any) -> float:
    """What an example returns; a warning that something was computed densely is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found: float = runpy.run_path(str(EXAMPLES / name))["main"](**settings)
    return found


def test_a_factorization_machine_learns_who_likes_what() -> None:
    assert result_of("factorization_machine.py", rows=3000, passes=3) > 0.8


def test_vectors_of_words_lie_by_topics() -> None:
    assert result_of("word_vectors.py", steps=200) > 0.8
