"""Word vectors: read from files, and concatenated."""

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

import numpy as np

from gluonic import ndarray as nd
from gluonic import registry
from gluonic.contrib.text import vocab
from gluonic.contrib.text.pretrained import digests_of_archives, digests_of_files, find_file
from gluonic.contrib.text.vector_file import read_vectors
from gluonic.contrib.text.vocab import UNKNOWN, as_list
from gluonic.graph.errors import AttributeValueError, MXNetError, describe

__all__ = [
    "CompositeEmbedding",
    "CustomEmbedding",
    "FastText",
    "GloVe",
    "create",
    "get_pretrained_file_names",
    "register",
]

Fill = Callable[..., nd.NDArray]
_Kind = TypeVar("_Kind", bound="_TokenEmbedding")


class UnknownFileError(MXNetError, KeyError):
    """The embedding, or its file, does not exist."""


class _TokenEmbedding(vocab.Vocabulary):
    """The base of all embeddings: a vocabulary and a vector for each of its tokens.

    Parameters
    ----------
    kwargs : see `Vocabulary`
    """

    pretrained_file_name_sha1: ClassVar[dict[str, str]]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._vec_len = 0
        self._idx_to_vec: nd.NDArray = nd.zeros((len(self), 0))

    @property
    def vec_len(self) -> int:
        """The length of the vectors."""
        return self._vec_len

    @property
    def idx_to_vec(self) -> nd.NDArray:
        """The vectors: float32 of shape (tokens, `vec_len`)."""
        return self._idx_to_vec

    def get_vecs_by_tokens(self, tokens: Any, lower_case_backup: bool = False) -> nd.NDArray:
        """Return the vectors of tokens.

        Parameters
        ----------
        tokens : a token or a list
        lower_case_backup : whether to look up unknown tokens in lower case

        Returns
        -------
        NDArray
            of shape (`vec_len`,) for a token, (tokens, `vec_len`) for a list
        """
        known = self.token_to_idx
        found = [
            known.get(token.lower(), UNKNOWN)
            if lower_case_backup and token not in known
            else known.get(token, UNKNOWN)
            for token in as_list(tokens)
        ]
        vectors: nd.NDArray = nd.take(self.idx_to_vec, nd.array(found, dtype="int64"))
        return vectors if isinstance(tokens, list) else vectors.reshape((-1,))

    def update_token_vectors(self, tokens: Any, new_vectors: nd.NDArray) -> None:
        """Set the vectors of tokens.

        Parameters
        ----------
        tokens : a token or a list
        new_vectors : of shape (tokens, `vec_len`), or (`vec_len`,) for a token

        Raises
        ------
        AssertionError
            for vectors of another shape
        ValueError
            for unknown tokens; `unknown_token` sets the vector of all of them
        """
        names = as_list(tokens)
        shapes = [(len(names), self.vec_len), *([(self.vec_len,)] if len(names) == 1 else [])]
        if not isinstance(new_vectors, nd.NDArray) or new_vectors.shape not in shapes:
            found = getattr(new_vectors, "shape", type(new_vectors).__name__)
            raise AssertionError(
                describe(
                    f"new_vectors must be an NDArray of shape {shapes[0]}, not {found}",
                    where="update_token_vectors",
                )
            )
        for token in names:
            if token not in self.token_to_idx:
                raise AttributeValueError(
                    f"update_token_vectors: {token!r} is unknown; the vector of unknown tokens is that of "
                    f"{self.unknown_token!r}"
                )
        rows = nd.array([self.token_to_idx[token] for token in names], dtype="int64")
        self._idx_to_vec[rows] = new_vectors.reshape((len(names), self.vec_len))

    # For subclasses

    @classmethod
    def _check_pretrained_file_names(cls, pretrained_file_name: str) -> None:
        """Raise an error if the embedding has no file of that name."""
        if pretrained_file_name not in cls.pretrained_file_name_sha1:
            raise UnknownFileError(
                f"{cls.__name__} has no file {pretrained_file_name!r}; it has: "
                f"{', '.join(cls.pretrained_file_name_sha1)}"
            )

    @classmethod
    def _get_pretrained_file(cls, embedding_root: str | None, pretrained_file_name: str) -> str:
        """Return the path of a file; see `find_file`."""
        digest = cls.pretrained_file_name_sha1[pretrained_file_name]
        return find_file(cls.__name__.lower(), pretrained_file_name, digest, embedding_root)

    def _load_embedding(
        self, path: str, elem_delim: str, init_unknown_vec: Fill, encoding: str = "utf8"
    ) -> None:
        """Add the tokens and vectors of a file; see `read_vectors`."""
        read = read_vectors(path, elem_delim, self.unknown_token, encoding)
        known = len(self)
        for token in read.tokens:
            self._append(token)
        unknown = read.unknown
        if unknown is None:
            unknown = init_unknown_vec(shape=read.matrix.shape[1]).asnumpy()
        rows = np.broadcast_to(unknown, (known, read.matrix.shape[1]))
        self._vec_len = read.matrix.shape[1]
        self._idx_to_vec = nd.array(np.concatenate([rows, read.matrix]))

    def _build_embedding_for_vocabulary(self, vocabulary: Any) -> None:
        """Keep only the tokens of a vocabulary."""
        if vocabulary is not None:
            _require_vocabulary(vocabulary)
            self._set_idx_to_vec_by_embeddings([self], len(vocabulary), vocabulary.idx_to_token)
            self._index_tokens_from_vocabulary(vocabulary)

    def _index_tokens_from_vocabulary(self, vocabulary: vocab.Vocabulary) -> None:
        """Take over the tokens of a vocabulary."""
        self._token_to_idx = dict(vocabulary.token_to_idx)
        self._idx_to_token = list(vocabulary.idx_to_token)
        self._unknown_token = vocabulary.unknown_token
        reserved = vocabulary.reserved_tokens
        self._reserved_tokens = None if reserved is None else list(reserved)

    def _set_idx_to_vec_by_embeddings(
        self, token_embeddings: "list[_TokenEmbedding]", vocab_len: int, tokens: list[Any]
    ) -> None:
        """Set each token's vector to the concatenation of its vectors in all embeddings."""
        columns = []
        for embedding in token_embeddings:
            vectors = [embedding.idx_to_vec[:1]]
            if vocab_len > 1:
                vectors.append(embedding.get_vecs_by_tokens(list(tokens[1:])))
            columns.append(nd.concat(*vectors, dim=0))
        self._idx_to_vec = nd.concat(*columns, dim=1)
        self._vec_len = self._idx_to_vec.shape[1]


def _require_vocabulary(vocabulary: Any) -> None:
    if not isinstance(vocabulary, vocab.Vocabulary):
        raise AssertionError(f"vocabulary must be a Vocabulary, not {type(vocabulary).__name__}")


_register = registry.get_register_func(_TokenEmbedding, "token embedding")
create = registry.get_create_func(_TokenEmbedding, "token embedding")


def register(embedding_cls: type[_Kind]) -> type[_Kind]:
    """Register a class for `create` under its name in lower case; a decorator."""
    _register(embedding_cls)
    return embedding_cls


def get_pretrained_file_names(embedding_name: str | None = None) -> Any:
    """Return the files of an embedding, or those of all embeddings by name.

    Raises
    ------
    KeyError
        if there is no such embedding
    """
    known: dict[str, Any] = dict(registry.get_registry(_TokenEmbedding))
    files = {name: list(kind.pretrained_file_name_sha1) for name, kind in known.items()}
    if embedding_name is None:
        return files
    if embedding_name not in files:
        raise UnknownFileError(f"there is no embedding {embedding_name!r}; there are {list(files)}")
    return files[embedding_name]


class _Pretrained(_TokenEmbedding):
    """Vectors of a published file; see `find_file`.

    Parameters
    ----------
    pretrained_file_name : the file's name
    embedding_root : the folder above that of the embedding, which has the embedding's name in lower case;
        by default ``embeddings`` in ``~/.mxnet``, or in $MXNET_HOME
    init_unknown_vec : creates the vector of unknown tokens, if the file has none
    vocabulary : if given, only its tokens are kept
    kwargs : see `Vocabulary`
    """

    _first: ClassVar[str]

    def __init__(
        self,
        pretrained_file_name: str | None = None,
        embedding_root: str | None = None,
        init_unknown_vec: Fill = nd.zeros,
        vocabulary: vocab.Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        file = self._first if pretrained_file_name is None else pretrained_file_name
        self._check_pretrained_file_names(file)
        super().__init__(**kwargs)
        path = self._get_pretrained_file(embedding_root, file)
        self._load_embedding(path, " ", init_unknown_vec)
        self._build_embedding_for_vocabulary(vocabulary)


@register
class GloVe(_Pretrained):
    """GloVe's vectors (https://nlp.stanford.edu/projects/glove), by default ``glove.840B.300d.txt``."""

    _first = "glove.840B.300d.txt"
    pretrained_file_name_sha1 = digests_of_files("glove")
    pretrained_archive_name_sha1 = digests_of_archives("glove")


@register
class FastText(_Pretrained):
    """fastText's vectors (https://fasttext.cc), by default ``wiki.simple.vec``."""

    _first = "wiki.simple.vec"
    pretrained_file_name_sha1 = digests_of_files("fasttext")
    pretrained_archive_name_sha1 = digests_of_archives("fasttext")


class CustomEmbedding(_TokenEmbedding):
    """Vectors of any file; each line has a token and its numbers.

    Parameters
    ----------
    pretrained_file_path : the file
    elem_delim : the separator of a token and its numbers
    encoding : the file's encoding
    init_unknown_vec : creates the vector of unknown tokens, if the file has none
    vocabulary : if given, only its tokens are kept
    kwargs : see `Vocabulary`
    """

    def __init__(
        self,
        pretrained_file_path: str,
        elem_delim: str = " ",
        encoding: str = "utf8",
        init_unknown_vec: Fill = nd.zeros,
        vocabulary: vocab.Vocabulary | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._load_embedding(pretrained_file_path, elem_delim, init_unknown_vec, encoding)
        self._build_embedding_for_vocabulary(vocabulary)


class CompositeEmbedding(_TokenEmbedding):
    """The concatenated vectors of several embeddings, for the tokens of a vocabulary.

    Parameters
    ----------
    vocabulary : the tokens
    token_embeddings : an embedding or a list
    """

    def __init__(self, vocabulary: vocab.Vocabulary, token_embeddings: Any) -> None:
        _require_vocabulary(vocabulary)
        embeddings = as_list(token_embeddings)
        for embedding in embeddings:
            if not isinstance(embedding, _TokenEmbedding):
                raise AssertionError(f"token_embeddings must be embeddings, not {embedding!r}")
        super().__init__()
        self._index_tokens_from_vocabulary(vocabulary)
        self._set_idx_to_vec_by_embeddings(list(embeddings), len(self), self.idx_to_token)
