"""Operators that the host computes for a GPU: counted, named, and refused where the user asks for that.

``GLUONIC_GPU_FALLBACK=error`` refuses them.
"""

from __future__ import annotations

import os
from collections import Counter

from gluonic.graph import Node
from gluonic.graph.errors import CallError, describe

FALLBACKS: Counter[tuple[str, str]] = Counter()
"""The number of calls of each operator that the host computed for a GPU, by its name and the reason."""


def note_fallback(node: Node, reason: str) -> None:
    """Count a call of an operator that the host computes.

    Raises
    ------
    CallError
        if the user asks for that
    """
    if os.environ.get("GLUONIC_GPU_FALLBACK") == "error":
        raise CallError(
            describe(
                "the operator has no code for a GPU",
                where=node.title,
                facts=[reason],
                hint="unset GLUONIC_GPU_FALLBACK: the host computes it then",
            )
        )
    FALLBACKS[node.operator_name, reason] += 1
