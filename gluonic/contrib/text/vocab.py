"""Vocabularies: the indices of words."""

import operator
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from gluonic.graph.errors import OutOfRangeError, describe

__all__ = ["Vocabulary"]

UNKNOWN = 0
"""The index of the token that stands for all unknown ones."""


class Vocabulary:
    """The indices of tokens: 0 for unknown ones, then the reserved tokens, then the most frequent.

    Parameters
    ----------
    counter : the count of each token; tokens with equal counts are sorted
    most_freq_count : the largest number of tokens to take from it
    min_freq : the least count of these tokens
    unknown_token : the token that stands for all unknown ones
    reserved_tokens : tokens that are included whether they occur or not

    Attributes
    ----------
    token_to_idx, idx_to_token : the indices by token, and the tokens in order
    unknown_token, reserved_tokens : as given

    Raises
    ------
    AssertionError
        if `min_freq` is not positive, tokens are reserved twice, or `counter` is no Counter

    Examples
    --------
    >>> from collections import Counter
    >>> vocabulary = Vocabulary(Counter("abracadabra"), most_freq_count=2, reserved_tokens=["<pad>"])
    >>> vocabulary.idx_to_token
    ['<unk>', '<pad>', 'a', 'b']
    >>> vocabulary.to_indices(["b", "z"])
    [3, 0]
    """

    def __init__(
        self,
        counter: "Counter[Any] | None" = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Hashable = "<unk>",
        reserved_tokens: list[Any] | None = None,
    ) -> None:
        reserved = [] if reserved_tokens is None else list(reserved_tokens)
        _require(min_freq > 0, f"min_freq must be positive, not {min_freq}")
        _require(
            len({unknown_token, *reserved}) == len(reserved) + 1,
            f"unknown_token and reserved_tokens must differ: {[unknown_token, *reserved]}",
        )
        _require(
            counter is None or isinstance(counter, Counter),
            f"counter must be a collections.Counter, not {type(counter).__name__}",
        )
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else reserved
        self._idx_to_token: list[Any] = [unknown_token, *reserved]
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}
        if counter is not None:
            self._add_frequent(counter, most_freq_count, min_freq)

    def _add_frequent(
        self, counter: "Counter[Any]", most_freq_count: int | None, min_freq: int
    ) -> None:
        most = len(counter) if most_freq_count is None else most_freq_count
        known = set(self._idx_to_token)
        by_token = sorted(counter.items(), key=lambda item: item[0])
        by_count = sorted(by_token, key=lambda item: item[1], reverse=True)
        frequent = [token for token, count in by_count if count >= min_freq and token not in known]
        for token in frequent[:most]:
            self._append(token)

    def _append(self, token: Any) -> None:
        self._token_to_idx[token] = len(self._idx_to_token)
        self._idx_to_token.append(token)

    def __len__(self) -> int:
        return len(self.idx_to_token)

    @property
    def token_to_idx(self) -> dict[Any, int]:
        """The indices of tokens."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[Any]:
        """The tokens in order."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> Any:
        """The token that stands for all unknown ones."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[Any] | None:
        """The tokens that are included whether they occur or not."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """Return the index of a token, or a list of them for a list; `UNKNOWN` for unknown ones."""
        if not isinstance(tokens, list):
            return self.token_to_idx.get(tokens, UNKNOWN)
        return [self.token_to_idx.get(token, UNKNOWN) for token in tokens]

    def to_tokens(self, indices: Any) -> Any:
        """Return the token with an index, or a list of them for a list.

        Raises
        ------
        ValueError
            if there is no such index
        """
        if isinstance(indices, list):
            return [self._token(index) for index in indices]
        return self._token(indices)

    def _token(self, index: Any) -> Any:
        if not hasattr(index, "__index__") or operator.index(index) >= len(self):
            raise UnknownIndexError(
                f"Vocabulary: there is no token {index!r}: there are {len(self)} tokens"
            )
        return self.idx_to_token[index]


class UnknownIndexError(OutOfRangeError, ValueError):
    """No token has the index."""


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(describe(message, where="Vocabulary"))


def as_list(tokens: Any) -> Sequence[Any]:
    """Return several tokens as they are, and one in a list."""
    return tokens if isinstance(tokens, list) else [tokens]
