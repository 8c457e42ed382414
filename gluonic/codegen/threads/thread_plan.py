"""Lists of kernels with a thread for each piece of work; on the host a thread is a unit of work."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod
from typing import Any, TypeAlias

from gluonic.codegen.machine.memory import aligned
from gluonic.codegen.maths.values import INT32, INT64, Dtype
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.threads.thread_code import Body, ThreadProgram
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_NARROW = 1 << 31


@record
class Scratch:
    """An array that only the kernels of a step use.

    Attributes
    ----------
    offset : of its first element, in bytes
    count, dtype : of its elements
    """

    offset: int
    count: int
    dtype: Dtype


@record
class WordsOf:
    """An input or output that is read or written in elements of another dtype.

    Attributes
    ----------
    entry : the input or output
    dtype : of the elements
    """

    entry: Entry
    dtype: Dtype


Operand: TypeAlias = Entry | Scratch | WordsOf


@record
class ThreadLaunch:
    """A kernel with its arguments.

    Attributes
    ----------
    program : determines its code
    operands : the indices, among the inputs and outputs, of the addresses that it gets; an index beyond them is
        the scratch memory
    threads : how many threads it has
    numbers : its run-time arguments
    """

    program: ThreadProgram
    operands: tuple[int, ...]
    threads: int
    numbers: tuple[int, ...]


class ThreadPlan:
    """The kernels of an operator, while a rule lists them.

    Parameters
    ----------
    node : the operator's use
    facts : shapes and dtypes
    is_host : whether threads are the host's, each of which may do much, one after the other

    Attributes
    ----------
    n : its settings, as attributes
    inputs, outputs : its entries
    bytes : the scratch memory so far
    """

    def __init__(self, node: Node, facts: Facts, *, is_host: bool = False) -> None:
        self.node, self.facts, self.is_host = node, facts, is_host
        self.n = node.applied.view([*node.inputs, *node.applied.outputs])
        self.inputs = tuple(node.inputs)
        self.outputs = tuple(node.entry(i) for i in range(node.output_count))
        self.named = dict(zip(node.applied.inputs, node.inputs, strict=True))
        self._operands = (*self.inputs, *self.outputs)
        self.launches: list[ThreadLaunch] = []
        self.bytes = 0

    @property
    def settings(self) -> dict[str, Any]:
        """The operator's attributes."""
        return self.node.applied.settings

    @property
    def output(self) -> Entry:
        """The first output."""
        return self.outputs[0]

    @property
    def index(self) -> Dtype:
        """The dtype of indices of the elements of all inputs and outputs."""
        return INT32 if all(self.size(each) < _NARROW for each in self._operands) else INT64

    def shape(self, entry: Entry) -> Shape:
        """The shape of an input or output."""
        return self.facts.shapes[entry]

    def dtype(self, operand: Operand) -> Dtype:
        """The dtype of an operand."""
        return (
            operand.dtype if isinstance(operand, Scratch | WordsOf) else self.facts.dtypes[operand]
        )

    def size(self, operand: Operand) -> int:
        """The number of elements of an operand."""
        if isinstance(operand, WordsOf):
            return self.facts.bytes_of(operand.entry) // operand.dtype.itemsize
        return operand.count if isinstance(operand, Scratch) else prod(self.shape(operand))

    def _address(self, operand: Operand) -> int:
        """The number of an operand among those of the step."""
        if isinstance(operand, Scratch):
            return len(self._operands)
        return self._operands.index(operand.entry if isinstance(operand, WordsOf) else operand)

    def scratch(self, count: int, dtype: Dtype) -> Scratch:
        """Memory for so many elements, which hold nothing yet."""
        made = Scratch(self.bytes, count, dtype)
        self.bytes += aligned(count * dtype.itemsize)
        return made

    def kernel(
        self,
        body: Body,
        operands: Sequence[Operand],
        threads: int,
        *statics: Hashable,
        **numbers: int | Sequence[int],
    ) -> None:
        """Add a kernel.

        Parameters
        ----------
        body : writes what a thread does, ``body(code, *statics)``
        operands : what the body reads and writes, by their positions here
        threads : how many there are
        statics : what the code depends on
        numbers : run-time arguments by name; several are ``name0``, ``name1``, …
        """
        if not threads:
            return
        flat: dict[str, int] = {}
        for name, given in numbers.items():
            if isinstance(given, Sequence):
                flat.update((f"{name}{i}", each) for i, each in enumerate(given))
            else:
                flat[name] = given
        sizes = [threads, *flat.values(), *map(self.size, operands)]
        narrow = all(abs(size) < _NARROW for size in sizes)
        dtypes = tuple(map(self.dtype, operands))
        own = tuple(i for i, each in enumerate(operands) if isinstance(each, Scratch))
        index = INT32 if narrow else INT64
        program = ThreadProgram(body, statics, dtypes, tuple(flat), index, own)
        addresses = tuple(map(self._address, operands))
        offsets = [o.offset for o in operands if isinstance(o, Scratch)]
        self.launches.append(ThreadLaunch(program, addresses, threads, (*flat.values(), *offsets)))


ThreadRule = Callable[[ThreadPlan], bool]
"""Lists the kernels of an operator; False if there are none for its attributes, shapes or dtypes."""
