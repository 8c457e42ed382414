"""Sentences of `mx.rnn`: words as numbers, and batches from buckets, shuffled with known seeds."""

from __future__ import annotations

import contextlib
import functools
import io
import random
from typing import Any

import numpy as np

TEXT = [line.split() for line in ("a b c", "b c d", "a a", "d e f g", "")]
VOCABULARY = {"a": 1, "b": 2, "c": 3}
ENCODED: dict[str, dict[str, Any]] = {
    "new": {},
    "new from 1": {"start_label": 1, "invalid_label": 0, "invalid_key": "<eos>"},
    "new around the label": {"start_label": -2, "invalid_label": 0},
    "known": {"vocab": {**VOCABULARY, "d": 4, "e": 5, "f": 6, "g": 7}},
    "unknown": {"vocab": VOCABULARY, "unknown_token": "UNK"},
    "unknown in a new one": {"unknown_token": "UNK", "start_label": 5},
    "unknown from the label": {"vocab": VOCABULARY, "unknown_token": "UNK", "invalid_label": 0},
}
BATCHES: dict[str, dict[str, Any]] = {
    "automatic": {"batch_size": 2},
    "given": {"batch_size": 3, "buckets": [6, 3, 9]},
    "too short": {"batch_size": 2, "buckets": [2, 4]},
    "unused": {"batch_size": 2, "buckets": [1, 5, 20]},
    "time first": {"batch_size": 2, "buckets": [4, 7], "layout": "TN", "invalid_label": 0},
    "named": {"batch_size": 2, "data_name": "words", "label_name": "next", "dtype": "int32"},
}


def _sentences() -> list[list[int]]:
    draw = np.random.RandomState(5)
    return [draw.randint(1, 50, draw.randint(2, 8)).tolist() for _ in range(23)]


def run_encoded(mx: Any, case: str) -> dict[str, Any]:
    """Encode sentences."""
    settings = dict(ENCODED[case])
    if "vocab" in settings:
        settings["vocab"] = dict(settings["vocab"])
    encoded, vocabulary = mx.rnn.encode_sentences(TEXT, **settings)
    return {"encoded": encoded, "vocabulary": vocabulary}


def _described(descriptions: Any) -> list[Any]:
    return [[d.name, list(d.shape), np.dtype(d.dtype).name, d.layout] for d in descriptions]


def run_batches(mx: Any, case: str) -> dict[str, Any]:
    """Take all batches of two passes."""
    random.seed(3)
    np.random.seed(4)
    with contextlib.redirect_stdout(io.StringIO()):
        made = mx.rnn.BucketSentenceIter(_sentences(), **BATCHES[case])
    batches = []
    for _ in range(2):
        for batch in made:
            batches.append(
                {
                    "key": int(batch.bucket_key),
                    "pad": batch.pad,
                    "data": batch.data,
                    "label": batch.label,
                    "provide": [_described(batch.provide_data), _described(batch.provide_label)],
                    "dtype": np.dtype(batch.data[0].dtype).name,
                }
            )
        made.reset()
    return {
        "provide": [_described(made.provide_data), _described(made.provide_label)],
        "buckets": [int(length) for length in made.buckets],
        "default": int(made.default_bucket_key),
        "size": made.batch_size,
        "batches": batches,
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {
        **{f"encoded {case}": functools.partial(run_encoded, mx, case) for case in ENCODED},
        **{f"batches {case}": functools.partial(run_batches, mx, case) for case in BATCHES},
    }
