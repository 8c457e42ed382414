"""One table: how each of gluonic's operators is written as ONNX, and how each of ONNX's is read.

A file of `families/` fills it. A rule that writes is ``(o, n) -> values``: `o` is the `OnnxWriter`, `n` the
node (`gluonic.onnx.use`). A rule that reads is ``(F, n) -> entries``: `F` makes gluonic's nodes, `n` is ONNX's
node (`gluonic.onnx.onnx_node`). `pair` makes both, for operators that are the same.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

WriteRule: TypeAlias = Callable[[Any, Any], Any]
ReadRule: TypeAlias = Callable[[Any, Any], Any]


@dataclass
class OperatorFamily:
    """The operators of one subject.

    Attributes
    ----------
    title : the subject
    writes : rules by gluonic's names
    reads : rules by ONNX's names
    """

    title: str
    writes: dict[str, WriteRule] = field(default_factory=dict)
    reads: dict[str, ReadRule] = field(default_factory=dict)

    def write(self, *names: str, whole: bool = False) -> Callable[[WriteRule], WriteRule]:
        """Declare how gluonic's operators are written (a decorator).

        Parameters
        ----------
        whole : whether the nodes become the definition of a node of gluonic's operator, which is read as such
        """

        def declare(rule: WriteRule) -> WriteRule:
            _enter(WRITES, self.writes, names, rule)
            WHOLE.update(names if whole else ())
            return rule

        return declare

    def read(self, *names: str) -> Callable[[ReadRule], ReadRule]:
        """Declare how ONNX's operators are read (a decorator)."""

        def declare(rule: ReadRule) -> ReadRule:
            _enter(READS, self.reads, names, rule)
            return rule

        return declare

    def leave_out(self, reason: str, *names: str) -> None:
        """Declare why some of gluonic's operators are not written."""
        LEFT_OUT.update(dict.fromkeys(names, reason))

    def pair(self, ours: str, theirs: str) -> None:
        """Declare two operators without attributes that are the same."""
        self.write(ours)(lambda o, n: getattr(o, theirs)(*n.inputs))
        self.read(theirs)(lambda F, n: getattr(F, ours)(*n.entries))


def family(title: str) -> OperatorFamily:
    """Begin a family."""
    made = OperatorFamily(title)
    FAMILIES.append(made)
    return made


def _enter(table: dict[str, Any], part: dict[str, Any], names: tuple[str, ...], rule: Any) -> None:
    for name in names:
        if name in table:
            raise TypeError(f"the table has {name!r} already")
        table[name] = part[name] = rule


FAMILIES: list[OperatorFamily] = []
WRITES: dict[str, WriteRule] = {}
READS: dict[str, ReadRule] = {}
LEFT_OUT: dict[str, str] = {}
"""Why operators that have no row are not written, where there is more to say than that."""
WHOLE: set[str] = set()
"""Operators of gluonic's that are nodes of their own in a model, in the domain `DOMAIN`."""
DOMAIN = "gluonic"
