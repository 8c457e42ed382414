"""The specializations of a graph: which machine code serves which arrays, and how it is made.

A graph whose first call of a kind finds its code on disk needs none of this until arrays of other shapes come.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from gluonic.codegen.native.executable import Executable
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.binding_families import Families
from gluonic.codegen.runtime.specialization_binding import bind
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.origins import Origins
from gluonic.codegen.shapes.size_hints import size_hints
from gluonic.graph import Graph, Node, Signatures
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError
from gluonic.support.pieces import Pieces, finish

MOST_SPECIALIZATIONS = 8
_A_NODE = 200_000
"""The time of dividing a graph into steps, in nanoseconds a node, roughly, on any processor."""
_OWN_SIZES = 3
"""The number of specializations for particular sizes; a graph that needs more gets code for any size."""


class Specializer:
    """Makes the specializations of a graph, and finds one for given arrays.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order of the arrays
    parameters : those that rarely change
    data : those whose first axis may be the batch; None if unknown
    origins : the inputs as results of another graph
    bindings : what the graph has been bound to so far, by mode and signature, the latest last

    Attributes
    ----------
    made : the specializations, the most recently used last
    families : for inference and training, the bindings of all batch sizes
    preparation : the rewritten forms of the graph
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node],
        data: Collection[Node] | None,
        origins: Origins | None,
        bindings: Mapping[tuple[bool, Signatures], Binding],
    ) -> None:
        self.graph, self.inputs, self.parameters = graph, tuple(inputs), parameters
        self._knows_data = bool(parameters) or data is not None
        chosen = frozenset(inputs).difference(parameters) if data is None else frozenset(data)
        self._data = [i for i, node in enumerate(self.inputs) if node in chosen]
        self._bindings = bindings
        self.made: list[Specialization] = []
        self.preparation = Preparation(graph, self.inputs, parameters)
        self.families = {mode: Families(self.preparation, mode, origins) for mode in (False, True)}
        self._made_of_kind: Counter[Any] = Counter()

    def bind_known(
        self, arrays: Sequence[Any], train: bool, signature: Signatures
    ) -> Binding | None:
        """Bind existing machine code, preferably as one of a family; None if there is none for the arrays."""
        binding = self.families[train].bind(signature)
        if binding is not None:
            return binding
        first = None
        for known, facts in self.right_for(arrays, train):
            first = first or (known, facts)
            earlier = self._shapes_served_by(known, train)
            family = self.families[train].find_between(known, earlier, arrays)
            binding = None if family is None else family.binding(signature)
            if binding is not None:
                self._note_use(known)
                return binding
        if first is None:
            return None
        self._note_use(first[0])
        return bind(*first)

    def _note_use(self, known: Specialization) -> None:
        self.made.remove(known)
        self.made.append(known)

    def right_for(
        self, arrays: Sequence[Any], train: bool = False
    ) -> Iterator[tuple[Specialization, Facts]]:
        """The existing machine code whose guards hold for such arrays, the best first."""
        if not self.made:
            return  # without inferring any shape
        for prepared, facts in self.preparation.fitting(arrays, train):
            for known in reversed([*self.made]):
                if known.prepared is prepared and known.guards.hold(facts):
                    yield known, facts

    def _shapes_served_by(self, known: Specialization, train: bool) -> Iterator[list[Shape]]:
        """The input shapes of a specialization's bindings, the latest first."""
        for (other_train, signature), binding in reversed([*self._bindings.items()]):
            if other_train == train and binding.executable is known.executable:
                yield [shape for shape, _ in signature]

    def bind_new(self, arrays: Sequence[Any], train: bool) -> Pieces[Binding]:
        """Bind new machine code."""
        made, facts = yield from self.specialized(arrays, train)
        yield from made.compile()
        binding = bind(made, facts)
        self.made.append(made)
        return binding

    def adopt(
        self, executable: Executable, arrays: Sequence[Any], train: bool
    ) -> tuple[Specialization, Facts]:
        """The specialization for some arrays, whose machine code was found on disk, and the facts.

        If it turns out to be called in another way than the code on disk, it gets code of its own.
        """
        for known in self.made:
            if known.executable is executable:
                facts = self.preparation.facts_of(known.prepared, arrays, train)
                assert facts is not None
                return known, facts
        made, facts = finish(self.specialized(arrays, train))
        if made.call == executable.call:
            made.adopt(executable)
        self.made.append(made)
        return made, facts

    def specialized(
        self, arrays: Sequence[Any], train: bool
    ) -> Pieces[tuple[Specialization, Facts]]:
        """A new specialization, if possible for batches of any size, and the facts for the arrays."""
        preparation, vary = self.preparation, self._do_sizes_vary(arrays, train)
        for hints in size_hints(self.graph, self.inputs, arrays, self._data):
            try:
                prepared, facts = yield from preparation.of(hints, train, sizes_vary=vary)
            except MXNetError:
                continue  # an axis other than the batch was made larger
            yield _A_NODE * len(prepared.graph.nodes)
            made = Specialization(prepared, self.inputs, facts, self.parameters)
            own = preparation.facts_of(prepared, arrays, train)
            if own is not None and made.guards.hold(own):
                self._expect_batches(made, hints, train)
                return made, own
        prepared, facts = yield from preparation.of(arrays, train, sizes_vary=vary)
        yield _A_NODE * len(prepared.graph.nodes)
        made = Specialization(prepared, self.inputs, facts, self.parameters)
        self._expect_batches(made, arrays, train)
        return made, facts

    def _do_sizes_vary(self, arrays: Sequence[Any], train: bool) -> bool:
        """Whether enough specializations exist for arrays that differ only in their sizes."""
        kind = train, *[(len(array.shape), array.dtype) for array in arrays]
        before = self._made_of_kind[kind]
        self._made_of_kind[kind] += 1
        return before >= _OWN_SIZES

    def _expect_batches(self, made: Specialization, hints: Sequence[Any], train: bool) -> None:
        """Expect machine code that was generated for size hints to serve batches of any size."""
        if self._knows_data:
            self.families[train].expect_leading(made, hints, self._data)

    def forget(self) -> list[Specialization]:
        """Drop the least recently used specializations above the limit, and return them."""
        old = self.made[:-MOST_SPECIALIZATIONS]
        if old:
            del self.made[: len(old)]
            self.preparation.keep([kept.prepared for kept in self.made])
        return old
