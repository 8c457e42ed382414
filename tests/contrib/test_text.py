"""Vocabularies and vectors of words."""

import hashlib
import io
import string
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic import nd
from gluonic.contrib import text
from gluonic.contrib.text import pretrained
from gluonic.contrib.text.counting import count_tokens_from_str
from tests.measured import words
from tests.measured.measure import agrees, numbers, read

MEASURED = read("words")
TOKENS = st.text(string.ascii_letters, min_size=1, max_size=3)


@pytest.mark.filterwarnings("ignore:.*skipped:UserWarning")
@pytest.mark.parametrize("case", words.CASES)
def test_vocabularies_and_embeddings_are_those_of_mxnet(case: str) -> None:
    assert agrees(numbers(words.CASES[case](mx)), MEASURED[case])


@given(st.lists(TOKENS), st.integers(1, 4), st.none() | st.integers(0, 9))
def test_numbers_and_tokens_of_a_vocabulary_are_inverse(
    tokens: list[str], least: int, most: int | None
) -> None:
    counter = Counter(tokens)
    vocabulary = text.vocab.Vocabulary(counter, most, least, "?", ["<pad>"])
    known = vocabulary.idx_to_token
    assert vocabulary.to_indices(vocabulary.to_tokens(list(range(len(known))))) == [
        *range(len(known))
    ]
    frequent = known[2:]
    assert all(counter[token] >= least for token in frequent)
    assert len(frequent) == min(
        sum(count >= least for count in counter.values()), len(counter) if most is None else most
    )
    left = [counter[token] for token in counter if token not in known]
    assert not frequent or max(left, default=0) <= counter[frequent[-1]]


@given(st.lists(st.lists(TOKENS)))
def test_counting_a_text_counts_its_words(sentences: list[list[str]]) -> None:
    source = "\n".join(" ".join(sentence) for sentence in sentences)
    found = count_tokens_from_str(source, to_lower=True)
    assert found == Counter(word.lower() for sentence in sentences for word in sentence)


@pytest.mark.parametrize(
    "settings",
    [
        {"min_freq": 0},
        {"reserved_tokens": ["a", "a"]},
        {"reserved_tokens": ["<unk>"]},
        {"counter": {"a": 1}},
    ],
)
def test_an_invalid_vocabulary_is_refused(settings: Any) -> None:
    with pytest.raises(AssertionError, match="must"):
        text.vocab.Vocabulary(**settings)


@pytest.mark.parametrize("index", [3, "a", 1.0])
def test_a_token_that_is_not_there_has_no_name(index: Any) -> None:
    with pytest.raises(ValueError, match="there is no token"):
        text.vocab.Vocabulary(Counter("ab")).to_tokens(index)


def file_of(folder: Path, *lines: str) -> str:
    path = folder / "vectors.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf8")
    return str(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["a 1 2", "b"], r"line 2: 'b' has no numbers"),
        (["a 1 2", "b 1 2 3"], r"line 2: 'b' has 3 numbers; the words before it have 2"),
        (["a 1 x"], r"line 1: could not convert"),
        (["<unk> 1 2 3", "a 1 2"], "all vectors must have the same length"),
        ([], "no numbers"),
    ],
)
def test_a_damaged_file_of_vectors_is_refused(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match=message) as caught:
        text.embedding.CustomEmbedding(file_of(tmp_path, *lines))
    assert isinstance(caught.value, ValueError)


def test_a_file_of_vectors_must_be_there() -> None:
    with pytest.raises(ValueError, match="no file of vectors"):
        text.embedding.CustomEmbedding("nowhere.txt")


def test_headers_and_repeated_words_are_skipped_with_a_warning(tmp_path: Path) -> None:
    path = file_of(tmp_path, "2 2", "a 1 2", "a 3 4")
    with (
        pytest.warns(UserWarning, match="line 1: '2' with one number is a header"),
        pytest.warns(UserWarning, match="line 3: 'a' is repeated"),
    ):
        found = text.embedding.CustomEmbedding(path)
    assert found.idx_to_vec.asnumpy().tolist() == [[0, 0], [1, 2]]


def test_reserved_tokens_of_an_embedding_have_the_vector_of_unknown_ones(tmp_path: Path) -> None:
    path = file_of(tmp_path, "a 1 2")
    found = text.embedding.CustomEmbedding(
        path, init_unknown_vec=nd.ones, reserved_tokens=["<pad>"]
    )
    assert found.idx_to_token == ["<unk>", "<pad>", "a"]
    assert found.idx_to_vec.asnumpy().tolist() == [[1, 1], [1, 1], [1, 2]]


@pytest.mark.parametrize(
    ("tokens", "vectors", "error"),
    [
        ("a", nd.zeros((2, 2)), AssertionError),
        ("a", nd.zeros(3), AssertionError),
        (["a", "b"], nd.zeros(2), AssertionError),
        ("a", [0, 0], AssertionError),
        ("c", nd.zeros(2), ValueError),
    ],
)
def test_vectors_that_cannot_be_set_change_nothing(
    tokens: Any, vectors: Any, error: type[Exception], tmp_path: Path
) -> None:
    found = text.embedding.CustomEmbedding(file_of(tmp_path, "a 1 2", "b 3 4"))
    with pytest.raises(error, match=r"must be|is unknown"):
        found.update_token_vectors(tokens, vectors)
    assert found.idx_to_vec.asnumpy().tolist() == [[0, 0], [1, 2], [3, 4]]


def test_a_pretrained_file_is_taken_from_its_folder_if_its_digest_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "embeddings" / "glove"
    folder.mkdir(parents=True)
    (folder / "glove.6B.50d.txt").write_text("a 1 2\n")
    monkeypatch.setenv("MXNET_HOME", str(tmp_path))
    with pytest.raises(ValueError, match="its SHA-1 digest is not"):
        text.embedding.create("glove", pretrained_file_name="glove.6B.50d.txt")
    digest = hashlib.sha1(b"a 1 2\n").hexdigest()
    monkeypatch.setitem(text.embedding.GloVe.pretrained_file_name_sha1, "glove.6B.50d.txt", digest)
    found = text.embedding.create("glove", pretrained_file_name="glove.6B.50d.txt")
    assert found.get_vecs_by_tokens("a").asnumpy().tolist() == [1, 2]


def packed(file: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(file, content)
    return stream.getvalue()


@pytest.mark.parametrize("is_fetched", [True, False])
def test_a_pretrained_file_is_unpacked_from_a_local_or_fetched_archive(
    is_fetched: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, content = "wiki.simple.vec", b"1 2\na 1 2\n"
    archive, root = packed(file, content), tmp_path / "embeddings"
    digest = hashlib.sha1(content).hexdigest()
    row = ["fasttext", file, digest, "wiki.simple.zip", hashlib.sha1(archive).hexdigest()]
    monkeypatch.setattr(pretrained, "lines", lambda: [row])
    monkeypatch.setitem(text.embedding.FastText.pretrained_file_name_sha1, file, digest)
    folder = tmp_path / "gluon" / "embeddings" if is_fetched else root
    (folder / "fasttext").mkdir(parents=True)
    (folder / "fasttext" / "wiki.simple.zip").write_bytes(archive)
    if is_fetched:
        monkeypatch.setenv("MXNET_GLUON_REPO", tmp_path.as_uri())
    for _ in range(2):
        with pytest.warns(UserWarning, match="is a header"):
            found = text.embedding.FastText(file, str(root))
        assert found.get_vecs_by_tokens("a").asnumpy().tolist() == [1, 2]
        monkeypatch.delenv("MXNET_GLUON_REPO", raising=False)
    assert (root / "fasttext" / file).read_bytes() == content


def test_an_archive_without_the_file_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "fasttext"
    folder.mkdir()
    for content in (b"no archive", packed("other.vec", b"a 1 2")):
        (folder / "wiki.en.zip").write_bytes(content)
        with pytest.raises(ValueError, match=r"holds no wiki\.en\.vec"):
            text.embedding.FastText("wiki.en.vec", str(tmp_path))
    assert [path.name for path in folder.iterdir()] == ["wiki.en.zip"]


@pytest.mark.parametrize(
    ("name", "file", "archive"),
    [
        ("glove", "glove.twitter.27B.25d.txt", "glove.twitter.27B.zip"),
        ("fasttext", "wiki.en.vec", "wiki.en.zip"),
    ],
)
def test_the_error_about_a_missing_pretrained_file_names_its_folder(
    name: str, file: str, archive: str, tmp_path: Path
) -> None:
    settings = {"pretrained_file_name": file, "embedding_root": str(tmp_path)}
    with pytest.raises(mx.MXNetError, match=f"put {file} into {tmp_path}/{name}") as caught:
        text.embedding.create(name, **settings)
    assert f"published in: {archive}" in str(caught.value)


def test_an_unknown_pretrained_file_is_refused() -> None:
    with pytest.raises(KeyError, match=r"GloVe has no file 'glove\.txt'"):
        text.embedding.GloVe("glove.txt")
    with pytest.raises(KeyError, match="there is no embedding 'word2vec'"):
        text.embedding.get_pretrained_file_names("word2vec")


def test_only_embeddings_are_put_together(tmp_path: Path) -> None:
    made = text.embedding.CustomEmbedding(file_of(tmp_path, "a 1 2"))
    with pytest.raises(AssertionError, match="must be a Vocabulary"):
        text.embedding.CompositeEmbedding(Counter("a"), made)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="must be embeddings"):
        text.embedding.CompositeEmbedding(text.vocab.Vocabulary(), np.ones(2))
