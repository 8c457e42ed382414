"""Counting words."""

import re
from collections import Counter

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: "Counter[str] | None" = None,
) -> "Counter[str]":
    r"""Count the tokens of a text.

    Parameters
    ----------
    source_str : the text
    token_delim, seq_delim : what stands between tokens and between sentences, as regular expressions
    to_lower : whether to count in lower case
    counter_to_update : to which the counts are added; a new one by default

    Returns
    -------
    Counter
        by token how often it occurs

    Examples
    --------
    >>> sorted(count_tokens_from_str(" To be \n not to be ", to_lower=True).items())
    [('be', 2), ('not', 1), ('to', 2)]
    """
    tokens = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counter: Counter[str] = Counter() if counter_to_update is None else counter_to_update
    counter.update(token.lower() if to_lower else token for token in tokens)
    return counter
