"""Words become the numbers, and sentences the batches, that MXNet makes of them."""

import logging

import pytest

import gluonic as mx
from tests.measured import sentences
from tests.measured.measure import agrees, numbers, read

MEASURED = read("sentences")
CASES = sentences.cases(mx)


@pytest.mark.parametrize("case", MEASURED)
def test_sentences_are_those_of_mxnet(case: str) -> None:
    found = numbers(CASES[case]())
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured), what


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(AssertionError, match="no word 'd'"):
        mx.rnn.encode_sentences([["a", "d"]], vocab={"a": 1})


def test_sentences_that_are_too_long_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        mx.rnn.BucketSentenceIter([[1, 2], [1, 2, 3], [4, 5]], 1, buckets=[2])
    assert "1 sentences are longer" in caplog.text


@pytest.mark.parametrize("buckets", [[1], None])
def test_buckets_that_no_sentence_fits_are_refused(buckets: list[int] | None) -> None:
    with pytest.raises(ValueError, match="no sentence fits"):
        mx.rnn.BucketSentenceIter([[1, 2], [1, 2, 3]], 5, buckets=buckets)


def test_layouts_without_a_batch_are_refused() -> None:
    with pytest.raises(ValueError, match="'TC'"):
        mx.rnn.BucketSentenceIter([[1, 2]], 1, layout="TC")
