"""The public names of MXNet 2.0: how many of them there are."""

import importlib
from collections import Counter
from fnmatch import fnmatchcase

import pytest

from gluonic.mxnet_names.missing import MISSING, MISSING_IN_TWO
from tests.mxnet2.surface import read_table, verdict


def test_most_public_names_of_mxnet_2_are_there() -> None:
    counts = Counter(map(verdict, read_table()))
    assert counts.total() > 2400
    assert counts["there"] >= 0.96 * counts.total()


def test_what_is_missing_is_named() -> None:
    rows = [row for table in (MISSING, MISSING_IN_TWO) for row in table]
    patterns = [f"{m}.{n}" for row in rows for m in row.modules.split() for n in row.names.split()]
    absent = [name for name in read_table() if verdict(name) == "absent"]
    names = [f"{name.module}.{name.name}" for name in absent]
    assert not [name for name in names if not any(fnmatchcase(name, one) for one in patterns)]


@pytest.mark.parametrize(
    ("module", "name"),
    [("kvstore.byteps", "BytePS"), ("runtime", "get_branch"), ("util", "wrap_sort_functions")],
)
def test_a_missing_name_of_mxnet_2_raises_an_error_that_names_it(module: str, name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"mx.{module}.*MXNet 2.0 is not there"):
        getattr(importlib.import_module(f"gluonic.mxnet2.{module}"), name)
