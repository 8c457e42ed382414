"""NumPy's semantics, which MXNet 2.0 switches on, in each test of this folder."""

from collections.abc import Iterator

import pytest

from gluonic.graph.array_semantics import Semantics


@pytest.fixture(autouse=True)
def of_numpy() -> Iterator[None]:
    """Switch them on for a test."""
    with Semantics():
        yield
