"""A compiled graph: machine code where possible, with Python calls between for the other operators.

Compiling happens at three speeds. A *specialization* (machine code) serves all shapes of one pattern. A
*binding* serves one set of shapes, a *frame* one call at a time; see :mod:`gluonic.codegen.runtime.binding` and
:mod:`gluonic.codegen.runtime.frame`.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from gluonic.codegen.bound_graph import BoundGraph
from gluonic.codegen.inspection.cache_info import CacheInfo
from gluonic.codegen.native.executable import Executable
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.runtime.frame import ExecutionFrame, FramePool
from gluonic.graph import Array, Graph, Node, Run
from gluonic.graph.events import EVENTS
from gluonic.graph.memory import lacks_memory, too_large

if TYPE_CHECKING:
    from gluonic.codegen.shapes.origins import Origins


class CompiledGraph(BoundGraph):
    """A graph that compiles itself for the shapes it is called with.

    Parameters
    ----------
    graph, inputs, parameters, data, origins : see `BoundGraph`
    allows : whether a call may do a piece of compiling that takes an estimated number of nanoseconds; None if a
        call compiles all that it needs
    """

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[Node],
        parameters: Collection[Node] = (),
        data: Collection[Node] | None = None,
        origins: "Origins | None" = None,
        *,
        allows: Callable[[int], bool] | None = None,
    ) -> None:
        super().__init__(graph, inputs, parameters, data, origins)
        self._allows = allows
        self.pools: dict[Executable, FramePool] = {}
        self._latest: dict[bool, list[ExecutionFrame]] = {False: [], True: []}
        self._forgotten_hits = self._forgotten_prepackings = 0

    def cache_info(self) -> CacheInfo:
        """How much has been compiled, and how often it was used."""
        with self.lock:
            frames = [frame for pool in self.pools.values() for frame in pool.frames]
            found = self.executables()
            libraries = [each.library for each in found if each.library]
            origins = [library.origin for library in libraries]
            return CacheInfo(
                len(found),
                len(self.bindings),
                self._forgotten_hits + sum(frame.hits for frame in frames),
                self.misses,
                self._forgotten_prepackings + sum(frame.prepackings for frame in frames),
                sum(library.size for library in libraries),
                sum(origin.from_disk for origin in origins),
                seconds=self.seconds,
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

        Raises
        ------
        UnfinishedError
            if not enough time is allowed to make the machine code in this call
        """
        train = self.modal and run.train
        latest = self._latest[train]
        try:
            frame: ExecutionFrame | None = latest.pop()
        except IndexError:
            frame = None
        if frame is None:
            frame = self._frame(arrays, train)
        elif not frame.take(arrays):
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
        with self.lock:
            self._count_forgotten([frame])
            frame.pool.frames.remove(frame)

    @property
    def runs_in_python(self) -> bool:
        """Whether nothing that was compiled so far is machine code."""
        return not any(executable.functions for executable in self.held())

    def can_replay(self, *, train: bool) -> bool:
        """Whether frames can replay calls like the latest one."""
        latest = self._latest[self.modal and train][-1:]  # other threads may remove the last one
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
        latest = self._latest[self.modal and train]
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
        made = self.misses
        if self._allows is None:
            binding = self.binding(arrays, train)
        else:
            binding = self.binding_in_pieces(arrays, train, self._allows)
        with self.lock:
            pool = self.pools.setdefault(binding.executable, FramePool())
        frame = pool.frame(binding)
        if self.misses != made:
            frame.hits -= 1  # this call created the binding
        if not frame.take(arrays):
            raise AssertionError("a binding of these very shapes does not take the arrays")
        return frame

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
        key = self.modal and train, tuple(signature)
        with self.lock:
            binding, made = self.kept(key), None
            if binding is None:
                binding = made = self.bound_as_known_family(key)
            found = None if binding is None else self._verified_alike(frame, binding)
            if binding is None or found is None:
                return None
            if made is not None:
                self.keep(key, made)
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

    def drop(self, executable: Executable) -> None:
        """Drop the frames of machine code that no binding uses any more."""
        if (pool := self.pools.pop(executable, None)) is not None:
            self._count_forgotten(pool.frames)

    def _count_forgotten(self, frames: Iterable[ExecutionFrame]) -> None:
        for frame in frames:
            self._forgotten_hits += frame.hits
            self._forgotten_prepackings += frame.prepackings


__all__ = ["CompiledGraph"]
