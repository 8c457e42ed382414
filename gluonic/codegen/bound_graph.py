"""A graph with its bindings: found among those that exist or on disk, or made, at once or in pieces."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gluonic.codegen.compile_budget import BUDGET
from gluonic.codegen.inspection.dump import tell_of
from gluonic.codegen.machine.target import host
from gluonic.codegen.native.executable import Executable
from gluonic.codegen.progress import tell_if_long
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.graph_key import graph_key
from gluonic.codegen.runtime.stored_bindings import StoredBinding, save_binding
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.graph import Array, Graph, Node, Signatures, shapes_and_dtypes
from gluonic.graph.events import EVENTS
from gluonic.support.cached_property import cached_property
from gluonic.support.gc_pause import paused
from gluonic.support.locks import lock
from gluonic.support.pieces import Pieces, UnfinishedError, WorkInPieces, noted

if TYPE_CHECKING:
    from gluonic.codegen.native.specialization import Specialization
    from gluonic.codegen.shapes.facts import Facts
    from gluonic.codegen.shapes.origins import Origins
    from gluonic.codegen.specializer import Specializer

MOST_BINDINGS = 64
_READING = 2_000_000
"""The time of looking for a binding on disk, in nanoseconds, roughly, on any processor."""


class _Unfinished:
    """A binding in the making.

    Parameters
    ----------
    key : the mode, and the shapes and dtypes of the arrays
    work : its pieces

    Attributes
    ----------
    others : calls of the same kind that no existing machine code serves
    """

    def __init__(self, key: tuple[bool, Signatures], work: Pieces[Binding]) -> None:
        self.key, self.work = key, WorkInPieces(work)
        self.others = {key}


def _kind(key: tuple[bool, Signatures]) -> tuple[Any, ...]:
    """The mode and the dtypes."""
    train, signature = key
    return train, *[dtype for _, dtype in signature]


class BoundGraph:
    """A graph, and its bindings to the shapes that it is called with.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order in which arrays will be given
    parameters : those that rarely change, and whose changes are recorded
    data : those whose first axis may be the batch; by default unknown if there are no parameters
    origins : the inputs as results of another graph

    Attributes
    ----------
    bindings : the bindings, by mode, shapes and dtypes, the most recently used last
    modal : whether the graph depends on the mode
    lock : held while bindings are found or made
    misses : the number of bindings made or found on disk
    seconds : the time that took
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
        origins: "Origins | None" = None,
    ) -> None:
        self.graph, self.parameters = graph, frozenset(parameters)
        self.inputs = tuple(inputs)
        self._data, self._origins = data, origins
        self.bindings: dict[Any, Binding] = {}
        self.modal = any(
            node.application is not None and node.application.op.run_name for node in graph.nodes
        )
        self.lock = lock()
        self._kinds: set[Any] = set()
        self._unfinished: dict[Any, _Unfinished] = {}
        self._stored: dict[Executable, tuple[list[AbstractArray], bool]] = {}
        self.misses, self.seconds = 0, 0.0

    @cached_property
    def specializer(self) -> "Specializer":
        """Makes machine code; a graph whose code is found on disk does not need it at first."""
        from gluonic.codegen.specializer import Specializer

        return Specializer(
            self.graph, self.inputs, self.parameters, self._data, self._origins, self.bindings
        )

    @property
    def sized_arrays(self) -> list[Sequence[AbstractArray]]:
        """Inputs that were found to vary, with shapes that are linear in a size; the latest first."""
        if "specializer" not in self.__dict__:
            return []
        families = self.specializer.families
        return [*families[True].linear, *families[False].linear]

    def binding(
        self, arrays: Sequence[Array], train: bool = False, signature: Signatures | None = None
    ) -> Binding:
        """The binding for arrays of these shapes and dtypes; `signature` holds them, where known."""
        key = self.modal and train, signature or shapes_and_dtypes(arrays)
        with self.lock:
            found = self.kept(key) or self._bind_known(*key)
            if found is not None:
                return found
            begun = self._unfinished.get(_kind(key))
            if begun is not None and begun.key == key:
                del self._unfinished[_kind(key)]
            else:
                begun = _Unfinished(key, self._make(*key))
            with self._noted(key):
                binding = begun.work.finish()
            return self._end(begun, binding)

    def binding_in_pieces(
        self,
        arrays: Sequence[Array],
        train: bool,
        allows: Callable[[int], bool],
        signature: Signatures | None = None,
    ) -> Binding:
        """The binding for arrays of these shapes and dtypes, made in pieces by several calls.

        Calls with other shapes make the same machine code: it may serve them, too.

        Raises
        ------
        UnfinishedError
            if pieces are left
        """
        key = self.modal and train, signature or shapes_and_dtypes(arrays)
        with self.lock:
            found = self.kept(key)
            while found is None:
                begun = self._unfinished.get(_kind(key))
                if begun is None or key not in begun.others:
                    found = self._bind_known(*key)
                    if found is not None:
                        break
                if begun is None:
                    begun = self._unfinished[_kind(key)] = _Unfinished(key, self._make(*key))
                begun.others.add(key)
                self._go_on(begun, allows)
                found = self.kept(key)
            return found

    def _go_on(self, begun: "_Unfinished", allows: Callable[[int], bool]) -> None:
        """Do pieces of a binding, and cache it if it is finished then; otherwise raise UnfinishedError."""
        try:
            with self._noted(begun.key):
                bound = begun.work.go_on(allows)
        except BaseException:
            del self._unfinished[_kind(begun.key)]
            raise
        if not bound:
            raise UnfinishedError
        self._end(begun, bound[0])

    def _end(self, begun: "_Unfinished", binding: Binding) -> Binding:
        """Cache a binding that is finished."""
        if self._unfinished.get(_kind(begun.key)) is begun:
            del self._unfinished[_kind(begun.key)]
        self._kinds.add(_kind(begun.key))
        return self.keep(begun.key, binding)

    def kept(self, key: Any) -> Binding | None:
        """A cached binding, which becomes the most recently used one."""
        binding = self.bindings.pop(key, None)
        if binding is not None:
            self.bindings[key] = binding
        return binding

    def keep(self, key: Any, binding: Binding) -> Binding:
        """Cache a binding, and drop those used least recently, above a limit."""
        self.bindings[key] = binding
        self.misses += 1
        self._forget()
        return binding

    def _forget(self) -> None:
        """Drop the least recently used bindings and machine code above the limits."""
        left: set[Executable] = set()
        if "specializer" in self.__dict__:
            left.update(each.executable for each in self.specializer.forget())
        while len(self.bindings) > MOST_BINDINGS:
            dropped = self.bindings.pop(next(iter(self.bindings))).executable
            if dropped not in self.executables():
                left.add(dropped)
        for executable in left.difference(self.held()) if left else ():
            self.drop(executable)

    def drop(self, executable: Executable) -> None:
        """Drop what calls have of machine code that no binding uses any more."""

    def held(self) -> set[Executable]:
        """All machine code that is cached, or used by a cached binding."""
        bindings = [*self.bindings.values()]  # at once: another thread may use one, which moves it
        return {*self.executables(), *(binding.executable for binding in bindings)}

    def executables(self) -> list[Executable]:
        """All machine code that is cached."""
        made = self.specializer.made if "specializer" in self.__dict__ else ()
        return [*self._stored, *(each.executable for each in made)]

    @contextmanager
    def _noted(self, key: tuple[bool, Signatures]) -> Iterator[None]:
        """Measure the time of making a binding, and report it to the profiler, if that runs."""
        begin = perf_counter()
        shapes = [None if shape is None else list(shape) for shape, _ in key[1]]
        span = (
            EVENTS.span("compile", "compile", shapes=shapes) if EVENTS.symbolic else nullcontext()
        )
        with span, paused():
            yield
        self.seconds += perf_counter() - begin

    def _make(self, train: bool, signature: Signatures) -> Pieces[Binding]:
        """Bind machine code that serves such arrays, new or, if it is the first of its kind, from disk."""
        arrays = [AbstractArray(shape, dtype) for shape, dtype in signature]
        if _kind((train, signature)) in self._kinds:
            return (yield from self._bind_new(arrays, train))
        yield from BUDGET.start_up("LLVM")
        host()
        yield _READING
        given = self.graph, self.inputs, self.parameters, self._data
        key = graph_key(*given, signature, train=train)
        stored = StoredBinding.read(key, signature) if key else None
        yield from BUDGET.start_up("compiler")
        if stored is not None:
            yield from stored.costs
            binding = stored.load(lambda made: self._details(made, arrays, train))
            if binding is not None:
                self._stored[binding.executable] = arrays, train
                tell_of(binding, self.graph, self._named_shapes(arrays))
                return binding
        costs: list[int] = []
        binding = yield from noted(self._bind_new(arrays, train), costs)
        if key:
            save_binding(key, binding, costs)
        return binding

    def _bind_known(self, train: bool, signature: Signatures) -> Binding | None:
        """Bind existing machine code; None if none serves such arrays."""
        if _kind((train, signature)) not in self._kinds:
            return None
        self._adopt_stored(train)
        arrays = [AbstractArray(shape, dtype) for shape, dtype in signature]
        found = self.specializer.bind_known(arrays, train, signature)
        return None if found is None else self.keep((train, signature), found)

    def _bind_new(self, arrays: Sequence[AbstractArray], train: bool) -> Pieces[Binding]:
        """Bind new machine code."""
        tell_if_long(self.graph)
        binding = yield from self.specializer.bind_new(arrays, train)
        tell_of(binding, self.graph, self._named_shapes(arrays))
        return binding

    def _named_shapes(self, arrays: Sequence[AbstractArray]) -> dict[str, tuple[int, ...]]:
        """The shapes of the inputs by name."""
        return {node.name: array.shape for node, array in zip(self.inputs, arrays, strict=True)}

    def bound_as_known_family(self, key: tuple[bool, Signatures]) -> Binding | None:
        """Bind machine code as one of a family, without inferring shapes; None if there is none."""
        train, signature = key
        self._adopt_stored(train)
        return self.specializer.families[train].bind(signature)

    def _adopt_stored(self, train: bool) -> None:
        """Make the specializations whose machine code was found on disk: it may serve other shapes."""
        for executable, (arrays, mode) in [*self._stored.items()]:
            if mode == train:
                self._details(executable, arrays, mode)

    def _details(
        self, executable: Executable, arrays: Sequence[AbstractArray], train: bool
    ) -> "tuple[Specialization, Facts]":
        """The specialization whose machine code was found on disk, and the facts for the arrays."""
        with self.lock, paused():
            self._stored.pop(executable, None)
            return self.specializer.adopt(executable, arrays, train)

    @property
    def specializations(self) -> "list[Specialization]":
        """The specializations, the most recently used last."""
        with self.lock:
            for train in (False, True):
                self._adopt_stored(train)
            return self.specializer.made

    def right_for(
        self, arrays: Sequence[Any], train: bool = False
    ) -> "Iterator[tuple[Specialization, Facts]]":
        """The existing machine code whose guards hold for such arrays, the best first."""
        train = self.modal and train
        self._adopt_stored(train)
        return self.specializer.right_for(arrays, train)
