"""Sentences as batches: words encoded as numbers, sentences of like length in one bucket."""

import bisect
import logging
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.attributes import Positive
from gluonic.graph.errors import describe
from gluonic.io import DataBatch, DataDesc, DataIter
from gluonic.ndarray import NDArray

__all__ = ["BucketSentenceIter", "encode_sentences"]


def encode_sentences(
    sentences: Sequence[Sequence[Any]],
    vocab: dict[Any, int] | None = None,
    invalid_label: int = -1,
    invalid_key: Any = "\n",
    start_label: int = 0,
    unknown_token: Any = None,
) -> tuple[list[list[int]], dict[Any, int]]:
    r"""Replace words by numbers.

    Parameters
    ----------
    sentences : lists of words
    vocab : the numbers of words; None numbers the words in the order in which they come
    invalid_label : the number that no word gets, for the end of a sentence
    invalid_key : what stands for that number in a new vocabulary
    start_label : the number of the first new word
    unknown_token : what words that `vocab` does not have are entered as; each of them takes the next number,
        and the last one's is the token's from then on

    Returns
    -------
    encoded, vocab
        the sentences as lists of numbers, and the vocabulary: that given, with `unknown_token`

    Raises
    ------
    AssertionError
        if a word is unknown, and no `unknown_token` is given

    Examples
    --------
    >>> encode_sentences([["a", "rose"], ["is", "a", "rose"]], start_label=1)
    ([[1, 2], [3, 1, 2]], {'\n': -1, 'a': 1, 'rose': 2, 'is': 3})
    """
    grows = vocab is None
    numbers = {invalid_key: invalid_label} if vocab is None else vocab
    free = start_label
    encoded = []
    for sentence in sentences:
        codes = []
        for word in sentence:
            if word not in numbers:
                if not (grows or unknown_token):
                    raise AssertionError(
                        describe(
                            f"the vocabulary has no word {word!r}",
                            where="encode_sentences",
                            hint="unknown_token=, or vocab=None for a new vocabulary",
                        )
                    )
                if free == invalid_label:
                    free += 1
                word = unknown_token or word
                numbers[word] = free
                free += 1
            codes.append(numbers[word])
        encoded.append(codes)
    return encoded, numbers


class BucketSentenceIter(DataIter):
    """Batches for language models: sentences of like length; the label of each word is the next one.

    Each sentence goes to the shortest bucket that is long enough and is filled up with `invalid_label`.
    Sentences longer than all buckets are left out, and so are those that do not fill a batch. `reset`
    shuffles with the generators of `random` and `numpy.random`.

    Parameters
    ----------
    sentences : lists of numbers
    batch_size : sentences in a batch
    buckets : lengths; by default those of which there are at least `batch_size` sentences
    invalid_label : what fills sentences up, and is the label of their last word
    data_name, label_name : the names of the inputs
    dtype : the element type of both
    layout : ``"NT"``: (batch, length), or ``"TN"``: (length, batch)

    Attributes
    ----------
    default_bucket_key : the length of the longest bucket
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[int]],
        batch_size: Positive,
        buckets: list[int] | None = None,
        invalid_label: int = -1,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: Any = "float32",
        layout: str = "NT",
    ) -> None:
        super().__init__(batch_size)
        if layout not in ("NT", "TN"):
            raise ValueError(f"BucketSentenceIter: the layout must be NT or TN, not {layout!r}")
        self.data_name, self.label_name = data_name, label_name
        self.dtype, self.invalid_label = dtype, invalid_label
        self.layout, self.major_axis = layout, layout.find("N")
        lengths = sorted(buckets or _frequent_lengths(sentences, batch_size))
        self.buckets, self.data = self._filled(sentences, lengths)
        self.default_bucket_key = max(self.buckets)
        self.provide_data, self.provide_label = self._described(self.default_bucket_key)
        self.idx = [
            (bucket, start)
            for bucket, rows in enumerate(self.data)
            for start in range(0, len(rows) - batch_size + 1, batch_size)
        ]
        self.curr_idx = 0
        self.nddata: list[NDArray] = []
        self.ndlabel: list[NDArray] = []
        self.reset()

    def _filled(
        self, sentences: Sequence[Sequence[int]], lengths: list[int]
    ) -> tuple[list[int], list[Any]]:
        """Return the lengths of the buckets that have sentences, and the rows of each."""
        rows: list[list[Any]] = [[] for _ in lengths]
        left_out = 0
        for sentence in sentences:
            bucket = bisect.bisect_left(lengths, len(sentence))
            if bucket == len(lengths):
                left_out += 1
                continue
            row = np.full(lengths[bucket], self.invalid_label, dtype=self.dtype)
            row[: len(sentence)] = sentence
            rows[bucket].append(row)
        if left_out:
            logging.warning(
                "%d sentences are longer than the largest bucket, %s", left_out, lengths
            )
        if not any(rows):
            raise ValueError(
                describe(
                    f"no sentence fits into the buckets {lengths}",
                    where="BucketSentenceIter",
                    hint="buckets=[…] with lengths up to that of the longest sentence",
                )
            )
        used = [
            (length, np.asarray(some)) for length, some in zip(lengths, rows, strict=True) if some
        ]
        return [length for length, _ in used], [some for _, some in used]

    def _described(self, length: int) -> tuple[list[DataDesc], list[DataDesc]]:
        shape = (self.batch_size, length) if self.major_axis == 0 else (length, self.batch_size)
        data, label = (
            [DataDesc(name, shape, layout=self.layout)]
            for name in (self.data_name, self.label_name)
        )
        return data, label

    def reset(self) -> None:
        """Shuffle, and go back to the first batch."""
        self.curr_idx = 0
        random.shuffle(self.idx)
        for rows in self.data:
            np.random.shuffle(rows)
        self.nddata = [nd.array(rows, dtype=self.dtype) for rows in self.data]
        self.ndlabel = [nd.array(self._next_words(rows), dtype=self.dtype) for rows in self.data]

    def _next_words(self, rows: Any) -> Any:
        labels = np.roll(rows, -1, axis=1)
        labels[:, -1] = self.invalid_label
        return labels

    def next(self) -> DataBatch:
        """Return the next batch, whose `bucket_key` is the length of its sentences."""
        if self.curr_idx == len(self.idx):
            raise StopIteration
        bucket, start = self.idx[self.curr_idx]
        self.curr_idx += 1
        data, label = (
            array[bucket][start : start + self.batch_size] for array in (self.nddata, self.ndlabel)
        )
        if self.major_axis == 1:
            data, label = data.T, label.T
        provide_data, provide_label = self._described(self.buckets[bucket])
        return DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=self.buckets[bucket],
            provide_data=provide_data,
            provide_label=provide_label,
        )


def _frequent_lengths(sentences: Sequence[Sequence[int]], batch_size: Positive) -> list[int]:
    counts = np.bincount([len(sentence) for sentence in sentences])
    return [length for length, count in enumerate(counts) if count >= batch_size]
