"""A compiled graph: machine code where possible, with Python calls between for the other operators.

Compiling happens at three speeds. A *specialization* (machine code) serves all shapes of one pattern. A
*binding* serves one set of shapes, a *frame* one call at a time; see :mod:`gluonic.codegen.runtime.binding` and
:mod:`gluonic.codegen.runtime.frame`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.inspection.dump import dump_if_asked
from gluonic.codegen.native.executable import Executable
from gluonic.codegen.progress import tell_if_long
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.frame import ExecutionFrame, FramePool
from gluonic.codegen.runtime.graph_key import graph_key
from gluonic.codegen.runtime.stored_bindings import load_binding, save_binding
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.graph import Array, Graph, Node, Run, Signatures, shapes_and_dtypes
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import lacks_memory, too_large
from gluonic.support.cached_property import cached_property
from gluonic.support.gc_pause import paused
from gluonic.support.locks import lock

if TYPE_CHECKING:
    from gluonic.codegen.native.specialization import Specialization
    from gluonic.codegen.shapes.facts import Facts
    from gluonic.codegen.shapes.origins import Origins
    from gluonic.codegen.specializer import Specializer

MOST_BINDINGS = 64


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
        origins: "Origins | None" = None,
    ) -> None:
        self.graph, self.parameters = graph, frozenset(parameters)
        self.inputs = tuple(inputs)
        self._data, self._origins = data, origins
        self.bindings: dict[Any, Binding] = {}
        self.pools: dict[Executable, FramePool] = {}
        self._latest: dict[bool, list[ExecutionFrame]] = {False: [], True: []}
        self._modal = any(
            node.application is not None and node.application.op.run_name for node in graph.nodes
        )
        self._lock = lock()
        self._kinds: set[Any] = set()
        self._stored: dict[Executable, tuple[list[AbstractArray], bool]] = {}
        self._misses = self._forgotten_hits = self._forgotten_prepackings = 0
        self._seconds = 0.0

    def cache_info(self) -> CacheInfo:
        """How much has been compiled, and how often it was used."""
        with self._lock:
            frames = [frame for pool in self.pools.values() for frame in pool.frames]
            found = self._executables()
            libraries = [each.library for each in found if each.library]
            origins = [library.origin for library in libraries]
            return CacheInfo(
                len(found),
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
        return not any(executable.functions for executable in self._held())

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

    def can_replay(self, *, train: bool) -> bool:
        """Whether frames can replay calls like the latest one."""
        latest = self._latest[self._modal and train][-1:]  # other threads may remove the last one
        return any(frame.executable.can_replay for frame in latest)

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
        if frame.executable.can_replay and frame.take(arrays) and frame.reads_in_place:
            frame.verified_for = found
        latest.append(frame)
        return latest if frame.verified_for is found else None

    def _frame(self, arrays: Sequence[Array], train: bool) -> ExecutionFrame:
        """A frame that holds the addresses of the arrays."""
        made = self._misses
        binding = self.binding(arrays, train)
        with self._lock:
            pool = self.pools.setdefault(binding.executable, FramePool())
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
        if frame.executable.call.unread_inputs:
            return None
        signature: list[Any] = [*frame.binding.signature]
        for position, array in zip(positions, arrays, strict=True):
            signature[position] = array.shape, array.dtype
        key = self._modal and train, tuple(signature)
        with self._lock:
            binding, made = self._kept(key), None
            if binding is None:
                binding = made = self._bound_as_known_family(key)
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
        if binding.executable is frame.executable:
            return frame
        pool = self.pools.get(binding.executable)
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

    def _held(self) -> set[Executable]:
        """All machine code that is cached, or used by a cached binding."""
        return {*self._executables(), *(binding.executable for binding in self.bindings.values())}

    def _executables(self) -> list[Executable]:
        """All machine code that is cached."""
        made = self.specializer.made if "specializer" in self.__dict__ else ()
        return [*self._stored, *(each.executable for each in made)]

    def _forget(self) -> None:
        """Drop the least recently used bindings and machine code above the limits."""
        left: set[Executable] = set()
        if "specializer" in self.__dict__:
            left.update(each.executable for each in self.specializer.forget())
        while len(self.bindings) > MOST_BINDINGS:
            dropped = self.bindings.pop(next(iter(self.bindings))).executable
            if dropped not in self._executables():
                left.add(dropped)
        for executable in left.difference(self._held()) if left else ():
            if (pool := self.pools.pop(executable, None)) is not None:
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
        """Bind machine code that serves such arrays; the first of a kind may be on disk."""
        kind = train, *[dtype for _, dtype in signature]
        if kind in self._kinds:
            self._adopt_stored(train)
            known = self.specializer.bind_known(arrays, train, signature)
            return known or self._bind_new(arrays, train)
        given = self.graph, self.inputs, self.parameters, self._data
        key = graph_key(*given, signature, train=train)
        binding = self._bind_stored(key, arrays, train) if key else None
        binding = binding or self._bind_new(arrays, train, key)
        self._kinds.add(kind)
        return binding

    def _bind_new(self, arrays: Sequence[Array], train: bool, key: str | None = None) -> Binding:
        """Bind new machine code, which is stored under a key."""
        tell_if_long(self.graph)
        begin = perf_counter()
        with paused():
            binding = self.specializer.bind_new(arrays, train)
            if key:
                save_binding(key, binding)
        self._seconds += perf_counter() - begin
        dump_if_asked(binding)
        return binding

    def _bind_stored(self, key: str, arrays: Sequence[Array], train: bool) -> Binding | None:
        """Bind machine code on disk; None if there is none."""
        given = [AbstractArray(array.shape, array.dtype) for array in arrays]
        begin = perf_counter()
        with paused():
            binding = load_binding(key, lambda made: self._details(made, given, train))
        if binding is not None:
            self._stored[binding.executable] = given, train
            self._seconds += perf_counter() - begin
            dump_if_asked(binding)
        return binding

    def _bound_as_known_family(self, key: tuple[bool, Signatures]) -> Binding | None:
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
        with self._lock, paused():
            self._stored.pop(executable, None)
            return self.specializer.adopt(executable, arrays, train)

    @property
    def specializations(self) -> "list[Specialization]":
        """The specializations, the most recently used last."""
        with self._lock:
            for train in (False, True):
                self._adopt_stored(train)
            return self.specializer.made

    def right_for(
        self, arrays: Sequence[Any], train: bool = False
    ) -> "Iterator[tuple[Specialization, Facts]]":
        """The existing machine code whose guards hold for such arrays, the best first."""
        train = self._modal and train
        self._adopt_stored(train)
        return self.specializer.right_for(arrays, train)


__all__ = ["CompiledGraph"]
