"""Wrong programs as people write them, what they print, and the fix that the message suggests."""

from typing import NamedTuple

HEADER = """import numpy as np
import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
"""


class Fixable(NamedTuple):
    """A wrong program; the comment ``# here`` marks the line that the message must name.

    Attributes
    ----------
    program : its text, without the imports
    told : what the message must tell, the suggested fix among it
    changes : the fix: texts of the program, and what replaces them
    """

    program: str
    told: tuple[str, ...]
    changes: tuple[tuple[str, str], ...]

    @property
    def wrong(self) -> str:
        """The whole wrong program."""
        return HEADER + self.program

    @property
    def fixed(self) -> str:
        """The program with the fix applied."""
        text = self.wrong
        for old, new in self.changes:
            assert old in text, old
            text = text.replace(old, new)
        return text


def fixable(program: str, *told: str, fix: tuple[tuple[str, str], ...]) -> Fixable:
    return Fixable(program, told, fix)
