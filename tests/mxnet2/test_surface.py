"""The public names of MXNet 2.0: how many of them there are."""

from collections import Counter

from tests.mxnet2.surface import read_table, verdict


def test_most_public_names_of_mxnet_2_are_there() -> None:
    counts = Counter(map(verdict, read_table()))
    assert counts.total() > 2400
    assert counts["there"] + counts["narrower"] >= 0.94 * counts.total()
