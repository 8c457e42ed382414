"""What holds for all tests, and for the examples in docstrings."""

from collections.abc import Iterator

import pytest

from gluonic.symbol.naming import NameManager


@pytest.fixture(autouse=True)
def _names_counted_from_zero() -> Iterator[None]:
    """Let names such as ``tanh0`` not depend on what ran before in the process."""
    with NameManager():
        yield
