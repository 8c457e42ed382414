"""A compiled graph: machine code where possible, with Python calls between for the other operators.

Compiling happens at three speeds. A *specialization* (machine code) serves all shapes of one pattern. A
*binding* serves one set of shapes, a *frame* one call at a time; see :mod:`gluonic.codegen.runtime.binding` and
:mod:`gluonic.codegen.runtime.frame`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.inspection.dump import dump_if_asked
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.progress import tell_if_long
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.binding_families import Families
from gluonic.codegen.runtime.frame import ExecutionFrame, FramePool
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import DynamicShapeError, Facts
from gluonic.codegen.shapes.origins import Origins
from gluonic.codegen.shapes.size_hints import size_hints
from gluonic.graph import Array, Graph, Node, Run, Signatures, shapes_and_dtypes
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import lacks_memory, too_large
from gluonic.support.gc_pause import paused
from gluonic.support.locks import lock

MOST_BINDINGS, MOST_SPECIALIZATIONS = 64, 8

_OWN_SIZES = 3
"""The number of specializations for particular sizes; a graph that needs more gets code for any size."""


class CompiledGraph:
    """A graph that compiles itself for the shapes it is called with.

    Parameters
    ----------
    graph : the graph
    inputs : its variables, in the order in which arrays will be given
    parameters : those that rarely change, and whose changes are recorded
    data : those whose first axis may be the batch; by default unknown if there are no parameters
    origins : the inputs as results of another graph
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
        origins: Origins | None = None,
    ) -> None:
        self.graph, self.parameters = graph, frozenset(parameters)
        self.inputs = tuple(inputs)
        self._knows_data = bool(parameters) or data is not None
        others = [node for node in inputs if node not in self.parameters]
        chosen = frozenset(others if data is None else data)
        self._data = [i for i, node in enumerate(self.inputs) if node in chosen]
        self.specializations: list[Specialization] = []
        self.bindings: dict[Any, Binding] = {}
        self.pools: dict[Specialization, FramePool] = {}
        self._latest: dict[bool, list[ExecutionFrame]] = {False: [], True: []}
        self._modal = any(
            node.application is not None and node.application.op.run_name for node in graph.nodes
        )
        self._preparation = Preparation(graph, self.inputs, self.parameters)
        self._lock = lock()
        self._families = {
            mode: Families(self._preparation, mode, origins) for mode in (False, True)
        }
        self._made_of_kind: Counter[Any] = Counter()
        self._misses = self._forgotten_hits = self._forgotten_prepackings = 0
        self._seconds = 0.0

    def cache_info(self) -> CacheInfo:
        """How much has been compiled, and how often it was used."""
        with self._lock:
            frames = [frame for pool in self.pools.values() for frame in pool.frames]
            libraries = [s.code.library for s in self.specializations if s.code.library]
            origins = [library.origin for library in libraries]
            return CacheInfo(
                len(self.specializations),
                len(self.bindings),
                self._forgotten_hits + sum(frame.hits for frame in frames),
                self._misses,
                self._forgotten_prepackings + sum(frame.prepackings for frame in frames),
                sum(library.size for library in libraries),
                sum(origin.from_disk for origin in origins),
                seconds=self._seconds,
                functions=sum(origin.functions for origin in origins),
                shared_functions=sum(origin.shared for origin in origins),
                code_seconds=sum(origin.seconds for origin in origins),
            )

    def __call__(
        self,
        arrays: Sequence[Array],
        run: Run,
        into: Sequence[Array | None] | None = None,
        finished: Callable[[int], None] | None = None,
    ) -> list[Array]:
        """Run the graph; compile it if necessary.

        Parameters
        ----------
        into : see `ExecutionFrame.run`
        finished : see `ExecutionFrame.run_handing_over`
        """
        train = self._modal and run.train
        latest = self._latest[train]
        try:
            frame = latest.pop()
        except IndexError:
            frame = self._frame(arrays, train)
        else:
            if not frame.take(arrays):
                frame.pool.idle.append(frame)
                frame = self._frame(arrays, train)
        try:
            if finished is not None and into is not None:
                results = frame.run_handing_over(arrays, run, into, finished)
            elif EVENTS.symbolic:
                results = frame.run_timed(arrays, run, into)
            else:
                results = frame.run(arrays, run, into)
        except BaseException as error:
            self._discard(frame)
            if lacks_memory(error):
                raise too_large("the results of a compiled graph", error) from error
            raise
        latest.append(frame)
        return results

    def _discard(self, frame: ExecutionFrame) -> None:
        """Drop a frame whose call failed: it may hold addresses of other arrays, and keeps memory."""
        with self._lock:
            self._count_forgotten([frame])
            frame.pool.frames.remove(frame)

    @property
    def runs_in_python(self) -> bool:
        """Whether nothing that was compiled so far is machine code."""
        return not any(s.runs for s in self._held())

    @property
    def sized_arrays(self) -> list[Sequence[AbstractArray]]:
        """Inputs that were found to vary, with shapes that are linear in a size; the latest first."""
        return [*self._families[True].linear, *self._families[False].linear]

    def can_replay(self, *, train: bool) -> bool:
        """Whether frames can replay calls like the latest one."""
        latest = self._latest[self._modal and train][-1:]  # other threads may remove the last one
        return any(frame.specialization.can_replay for frame in latest)

    def verified(
        self, arrays: Sequence[Array], found: object, *, train: bool
    ) -> list[ExecutionFrame] | None:
        """Record that a frame has these arrays.

        Parameters
        ----------
        found : identifies the look-up of the parameters among them

        Returns
        -------
        list or None
            the idle frames that serve such calls, to take one and put it back; None if they cannot replay calls
        """
        latest = self._latest[self._modal and train]
        try:
            frame = latest.pop()
        except IndexError:
            return None
        if frame.specialization.can_replay and frame.take(arrays) and frame.reads_in_place:
            frame.verified_for = found
        latest.append(frame)
        return latest if frame.verified_for is found else None

    def _frame(self, arrays: Sequence[Array], train: bool) -> ExecutionFrame:
        """A frame that holds the addresses of the arrays."""
        made = self._misses
        binding = self.binding(arrays, train)
        with self._lock:
            pool = self.pools.setdefault(binding.specialization, FramePool())
        frame = pool.frame(binding)
        if self._misses != made:
            frame.hits -= 1  # this call created the binding
        if not frame.take(arrays):
            raise AssertionError("a binding of these very shapes does not take the arrays")
        return frame

    def binding(
        self, arrays: Sequence[Array], train: bool = False, signature: Signatures | None = None
    ) -> Binding:
        """The binding for arrays of these shapes and dtypes; `signature` holds them, where known."""
        key = self._modal and train, signature or shapes_and_dtypes(arrays)
        with self._lock:
            return self._kept(key) or self._keep(key, self._bind_noted(arrays, key))

    def resized(
        self,
        frame: ExecutionFrame,
        positions: Sequence[int],
        arrays: Sequence[Array],
        *,
        train: bool,
    ) -> ExecutionFrame | None:
        """Find a frame for calls that differ from the latest of a frame only in the shapes of some inputs.

        Parameters
        ----------
        positions, arrays : the indices of these inputs, and their arrays

        Returns
        -------
        ExecutionFrame or None
            the frame, or one that has the same parameters: then the first one is idle. None if there is no
            cached binding and no family for such calls, or no such frame; then the first one is unchanged
        """
        if frame.specialization.unread_inputs:
            return None
        signature: list[Any] = [*frame.binding.signature]
        for position, array in zip(positions, arrays, strict=True):
            signature[position] = array.shape, array.dtype
        key = self._modal and train, tuple(signature)
        with self._lock:
            binding, made = self._kept(key), None
            if binding is None:
                binding = made = self._families[key[0]].bind(key[1])
            found = None if binding is None else self._verified_alike(frame, binding)
            if binding is None or found is None:
                return None
            if made is not None:
                self._keep(key, made)
                found.hits -= 1  # this call created the binding
        if found.binding is not binding:
            self._serve(found, binding)
        return found

    def _verified_alike(self, frame: ExecutionFrame, binding: Binding) -> ExecutionFrame | None:
        """A frame that can serve a binding with the parameters that a frame has; that one if possible."""
        if binding.specialization is frame.specialization:
            return frame
        pool = self.pools.get(binding.specialization)
        if pool is None:
            return None
        try:
            found = pool.idle.pop()
        except IndexError:
            return None
        if found.verified_for is not frame.verified_for:
            pool.idle.append(found)
            return None
        frame.pool.idle.append(frame)
        return found

    def _serve(self, frame: ExecutionFrame, binding: Binding) -> None:
        """Let a frame serve other shapes of the inputs, with the parameters that it has."""
        verified_for = frame.verified_for
        try:
            frame.serve(binding)
        except BaseException:
            self._discard(frame)
            raise
        frame.verified_for = verified_for

    def _kept(self, key: Any) -> Binding | None:
        """A cached binding, which becomes the most recently used one."""
        binding = self.bindings.pop(key, None)
        if binding is not None:
            self.bindings[key] = binding
        return binding

    def _keep(self, key: Any, binding: Binding) -> Binding:
        self.bindings[key] = binding
        self._misses += 1
        self._forget()
        return binding

    def _held(self) -> set[Specialization]:
        """All specializations that are cached, or used by a cached binding."""
        return {*self.specializations, *(b.specialization for b in self.bindings.values())}

    def _forget(self) -> None:
        """Drop the least recently used bindings and specializations above the limits."""
        left: set[Specialization] = set()
        while len(self.bindings) > MOST_BINDINGS:
            dropped = self.bindings.pop(next(iter(self.bindings))).specialization
            if dropped not in self.specializations:
                left.add(dropped)
        if len(self.specializations) > MOST_SPECIALIZATIONS:
            old = self.specializations[:-MOST_SPECIALIZATIONS]
            left.update(old)
            del self.specializations[: len(old)]
            self._preparation.keep([kept.prepared for kept in self.specializations])
        for specialization in left.difference(self._held()) if left else ():
            if (pool := self.pools.pop(specialization, None)) is not None:
                self._count_forgotten(pool.frames)

    def _count_forgotten(self, frames: Iterable[ExecutionFrame]) -> None:
        for frame in frames:
            self._forgotten_hits += frame.hits
            self._forgotten_prepackings += frame.prepackings

    def _bind_noted(self, arrays: Sequence[Array], key: tuple[bool, Signatures]) -> Binding:
        """Like `_bind`, and report it to the profiler, if that runs."""
        if not EVENTS.symbolic:
            return self._bind(arrays, *key)
        with EVENTS.span("compile", "compile", shapes=[list(a.shape) for a in arrays]):
            return self._bind(arrays, *key)

    def _bind(self, arrays: Sequence[Array], train: bool, signature: Signatures) -> Binding:
        """Bind machine code that serves such arrays; the most recently used is tried first."""
        binding = self._families[train].bind(signature)
        binding = binding or self._bind_known(arrays, train, signature)
        if binding is None:
            tell_if_long(self.graph)
            begin = perf_counter()
            with paused():
                binding = self._specialized(arrays, train)
            self._seconds += perf_counter() - begin
            self.specializations.append(binding.specialization)
            dump_if_asked(binding)
        return binding

    def _bind_known(
        self, arrays: Sequence[Array], train: bool, signature: Signatures
    ) -> Binding | None:
        """Bind existing machine code, preferably as one of a family; None if there is none for the arrays."""
        first, bound = None, None
        for known, facts in self.right_for(arrays, train):
            first = first or (known, facts)
            earlier = self._shapes_served_by(known, train)
            family = self._families[train].find_between(known, earlier, arrays)
            bound = None if family is None else family.binding(signature)
            if bound is not None:
                break
        if first is None:
            return None
        bound = bound or Binding.of(*first)
        self.specializations.remove(bound.specialization)
        self.specializations.append(bound.specialization)
        return bound

    def right_for(
        self, arrays: Sequence[Any], train: bool = False
    ) -> Iterator[tuple[Specialization, Facts]]:
        """The existing machine code whose guards hold for such arrays, the best first."""
        if not self.specializations:
            return  # without inferring any shape
        for prepared, facts in self._preparation.fitting(arrays, self._modal and train):
            for known in reversed([*self.specializations]):
                if known.prepared is prepared and known.guards.hold(facts):
                    yield known, facts

    def _shapes_served_by(self, known: Specialization, train: bool) -> Iterator[list[Shape]]:
        """The input shapes of a specialization's bindings, the latest first."""
        for (other_train, signature), binding in reversed(self.bindings.items()):
            if other_train == train and binding.specialization is known:
                yield [shape for shape, _ in signature]

    def _specialized(self, arrays: Sequence[Array], train: bool) -> Binding:
        """Bind new machine code, if possible for batches of any size."""
        preparation, vary = self._preparation, self._do_sizes_vary(arrays, train)
        for hints in size_hints(self.graph, self.inputs, arrays, self._data):
            try:
                prepared, facts = preparation.of(hints, train, sizes_vary=vary)
            except MXNetError:
                continue  # an axis other than the batch was made larger
            made = Specialization(prepared, self.inputs, facts, self.parameters)
            own = preparation.facts_of(prepared, arrays, train)
            if own is not None and made.guards.hold(own):
                return self._first_binding(made, own, hints, train)
        prepared, facts = preparation.of(arrays, train, sizes_vary=vary)
        made = Specialization(prepared, self.inputs, facts, self.parameters)
        return self._first_binding(made, facts, arrays, train)

    def _do_sizes_vary(self, arrays: Sequence[Array], train: bool) -> bool:
        """Whether enough specializations exist for arrays that differ only in their sizes."""
        kind = train, *[(len(array.shape), array.dtype) for array in arrays]
        before = self._made_of_kind[kind]
        self._made_of_kind[kind] += 1
        return before >= _OWN_SIZES

    def _first_binding(
        self, made: Specialization, facts: Facts, hints: Sequence[Any], train: bool
    ) -> Binding:
        """Bind machine code that was generated for size hints, which may serve batches of any size."""
        if self._knows_data:
            self._families[train].expect_leading(made, hints, self._data)
        return Binding.of(made, facts)


__all__ = ["CompiledGraph", "DynamicShapeError"]
