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
    token_delim, seq_delim : regular expressions of what separates tokens, and sentences
    to_lower : whether to count in lower case
    counter_to_update : the counter to which the counts are added; a new one by default

    Returns
    -------
    Counter
        the number of occurrences of each token

    Examples
    --------
    >>> sorted(count_tokens_from_str(" To be \n not to be ", to_lower=True).items())
    [('be', 2), ('not', 1), ('to', 2)]
    """
    tokens = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counter: Counter[str] = Counter() if counter_to_update is None else counter_to_update
    counter.update(token.lower() if to_lower else token for token in tokens)
    return counter
