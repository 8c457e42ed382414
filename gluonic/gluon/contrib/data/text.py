"""Data sets for language models: articles of Wikipedia, each token with the one that follows it."""

from array import array
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gluonic import ndarray as nd
from gluonic.base import data_dir
from gluonic.contrib.text.counting import count_tokens_from_str
from gluonic.contrib.text.vocab import Vocabulary
from gluonic.gluon.contrib.data._constants import EOS_TOKEN
from gluonic.gluon.data.dataset import Dataset
from gluonic.gluon.data.finding import find
from gluonic.graph.archives import read_from_zip
from gluonic.graph.errors import AttributeValueError, FileFormatError

__all__ = ["WikiText2", "WikiText103"]

_FILES = {name: f"wiki.{name[:5]}.tokens" for name in ("train", "validation", "test")}


class _PublishedArchive(NamedTuple):
    """The location of a data set: its folder, and its archive there."""

    folder: str
    archive: str


class _WikiText(Dataset):
    """Samples of `seq_len` tokens, and the tokens that follow each of them."""

    _published: ClassVar[_PublishedArchive]

    def __init__(
        self,
        root: str | None = None,
        segment: str = "train",
        vocab: Any = None,
        seq_len: int = 35,
    ) -> None:
        if segment not in _FILES:
            raise AttributeValueError(
                f"{type(self).__name__}: segment={segment!r} must be one of {', '.join(_FILES)}"
            )
        folder = Path(root or Path(data_dir()) / "datasets" / self._published.folder).expanduser()
        text = self._read(folder, _FILES[segment])
        self._counter: Counter[str] = Counter()
        for line in text.split("\n"):
            count_tokens_from_str(line, counter_to_update=self._counter)
        self._vocab = vocab or Vocabulary(self._counter, reserved_tokens=[EOS_TOKEN])
        numbers = array("i")
        for words in filter(None, map(str.split, text.splitlines())):
            numbers.extend(self._vocab.to_indices([*words, EOS_TOKEN]))
        indices = np.frombuffer(numbers, np.int32)
        count = max(0, len(indices) - 1) // seq_len
        self._data, self._label = (
            nd.array(part[: count * seq_len].reshape(count, seq_len), dtype=part.dtype)
            for part in (indices[:-1], indices[1:])
        )

    def _read(self, folder: Path, name: str) -> str:
        kind, archive = self._published
        path = find(folder, [name, archive], type(self).__name__, kind)
        content = path.read_bytes() if path.name == name else read_from_zip(path, name)
        if b"\0" in content:
            raise FileFormatError(f"{path}: {name} is damaged: it has NUL bytes")
        try:
            return content.decode()
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path}: {name} is no text: {error}") from error

    @property
    def vocabulary(self) -> Any:
        """The vocabulary whose indices samples are."""
        return self._vocab

    @property
    def frequencies(self) -> "Counter[str]":
        """The number of occurrences of each token in this segment."""
        return self._counter

    def __getitem__(self, idx: Any) -> tuple[Any, Any]:
        return self._data[idx], self._label[idx]

    def __len__(self) -> int:
        return len(self._label)


class WikiText2(_WikiText):
    """Two million tokens of verified good articles (S. Merity and others, 2016), as int32 indices.

    Parameters
    ----------
    root : the folder with ``wiki.train.tokens`` and so on, or with ``wikitext-2-v1.zip``; below
        ``~/.mxnet/datasets`` by default
    segment : ``"train"``, ``"validation"`` or ``"test"``
    vocab : a `gluonic.contrib.text.vocab.Vocabulary`; one of all tokens of the segment by default
    seq_len : number of tokens in a sample
    """

    _published = _PublishedArchive("wikitext-2", "wikitext-2-v1.zip")


class WikiText103(_WikiText):
    """A hundred million tokens of verified good articles (S. Merity and others, 2016), as int32 indices.

    Parameters
    ----------
    root : the folder with ``wiki.train.tokens`` and so on, or with ``wikitext-103-v1.zip``; below
        ``~/.mxnet/datasets`` by default
    segment : ``"train"``, ``"validation"`` or ``"test"``
    vocab : a `gluonic.contrib.text.vocab.Vocabulary`; one of all tokens of the segment by default
    seq_len : number of tokens in a sample
    """

    _published = _PublishedArchive("wikitext-103", "wikitext-103-v1.zip")
