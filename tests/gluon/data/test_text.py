"""Data sets of text are read from local files; a sampler takes samples at equal distances."""

import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.contrib.text.vocab import Vocabulary
from gluonic.gluon.contrib import data
from gluonic.gluon.contrib.data.text import WikiText2, WikiText103
from gluonic.gluon.data import DataLoader
from gluonic.graph.errors import FileFormatError, MXNetError

TEXT = " = Title = \n\n the cat sat on the mat \n the dog sat , too \n"
SEGMENTS = {"train": "train", "validation": "valid", "test": "test"}


@pytest.mark.parametrize("archive", ["", "zip"])
@pytest.mark.parametrize("segment", SEGMENTS)
@pytest.mark.parametrize("kind", [WikiText2, WikiText103])
def test_text_becomes_indices_and_the_following_indices(
    tmp_path: Path, kind: Any, segment: str, archive: str
) -> None:
    name = f"wiki.{SEGMENTS[segment]}.tokens"
    if archive:
        folder = {WikiText2: "wikitext-2", WikiText103: "wikitext-103"}[kind]
        with zipfile.ZipFile(tmp_path / f"{folder}-v1.zip", "w") as made:
            made.writestr(f"{folder}/{name}", TEXT)
    else:
        (tmp_path / name).write_text(TEXT)
    text = kind(str(tmp_path), segment, seq_len=4)
    samples = [text[i] for i in range(len(text))]
    assert len(text) == (17 - 1) // 4
    assert all(sample.dtype is np.int32 for pair in samples for sample in pair)
    read, following = (
        text.vocabulary.to_tokens(np.concatenate([pair[i].asnumpy() for pair in samples]).tolist())
        for i in range(2)
    )
    sentences = ["= Title =", "the cat sat on the mat", "the dog sat , too"]
    words = [word for sentence in sentences for word in (*sentence.split(), "<eos>")]
    assert read == words[:16]
    assert following == words[1:17]
    assert text.frequencies == Counter(TEXT.split())
    assert text.vocabulary.idx_to_token[:2] == ["<unk>", "<eos>"]
    assert len(text.vocabulary) == len(set(words)) + 1


def test_a_vocabulary_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "wiki.test.tokens").write_text(TEXT)
    known = Vocabulary(Counter(["cat"]), reserved_tokens=["<eos>"])
    text = WikiText2(str(tmp_path), "test", known, seq_len=16)
    assert text.vocabulary is known
    assert text[0][0].asnumpy().tolist() == [0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]


def test_loaders_batch_text_sampled_at_equal_intervals(tmp_path: Path) -> None:
    (tmp_path / "wiki.train.tokens").write_text(TEXT * 3)
    text = WikiText2(str(tmp_path), seq_len=5)
    sampler = data.IntervalSampler(len(text), 2)
    batches = list(DataLoader(text, batch_size=2, sampler=sampler, last_batch="discard"))
    assert batches[0][0].shape == (2, 5)
    assert (batches[0][0].asnumpy() == np.stack([text[0][0].asnumpy(), text[2][0].asnumpy()])).all()


def test_missing_or_damaged_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(MXNetError, match=r"wiki\.train\.tokens"):
        WikiText2(str(tmp_path))
    (tmp_path / "wikitext-2-v1.zip").write_bytes(b"no archive")
    with pytest.raises(FileFormatError, match="damaged"):
        WikiText2(str(tmp_path))
    with zipfile.ZipFile(tmp_path / "wikitext-2-v1.zip", "w") as made:
        made.writestr("readme", "")
    with pytest.raises(FileFormatError, match=r"no wiki\.train\.tokens"):
        WikiText2(str(tmp_path))
    (tmp_path / "wiki.train.tokens").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(FileFormatError, match="no text"):
        WikiText2(str(tmp_path))
    with pytest.raises(ValueError, match="segment='all'"):
        WikiText2(str(tmp_path), "all")


@given(st.integers(1, 40), st.data())
def test_all_samples_are_drawn_once_at_equal_intervals(length: int, draw: st.DataObject) -> None:
    interval = draw.draw(st.integers(1, length))
    sampler = data.IntervalSampler(length, interval)
    found = list(sampler)
    assert sorted(found) == list(range(length))
    assert len(sampler) == length
    steps = np.diff(found)
    assert ((steps == interval) | (np.array(found[1:]) < interval)).all()
    assert (
        list(data.IntervalSampler(length, interval, rollover=False))
        == found[: -(-length // interval)]
    )


def test_an_interval_longer_than_the_data_is_refused() -> None:
    with pytest.raises(ValueError, match="interval 3"):
        data.IntervalSampler(2, 3)
