"""Some of ONNX's node tests; `python -m tests.onnx.conformance` runs all."""

from collections import Counter

import pytest

pytest.importorskip("onnx")
from tests.onnx import conformance

SHARE = 0.74
EVERY = 7


def test_node_tests_pass_or_are_refused_with_a_reason() -> None:
    outcomes = [conformance.outcome(case) for case in conformance.cases()[::EVERY]]
    counts = Counter(outcomes)
    assert counts[conformance.PASSES] > SHARE * len(outcomes)
    assert counts[conformance.DIFFERS] == 0


def test_the_page_counts_what_the_issue_asks_for() -> None:
    text = conformance.PAGE.read_text()
    passed = int(text.split("\n\n")[1].split(" ")[0].replace(",", ""))
    assert passed >= 1400
