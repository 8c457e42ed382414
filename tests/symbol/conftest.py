from collections.abc import Iterator

import pytest

from gluonic.symbol import AttrScope, NameManager


@pytest.fixture(autouse=True)
def fresh_names() -> Iterator[None]:
    with NameManager(), AttrScope():
        yield
