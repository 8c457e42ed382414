"""From the text of an LLVM module to addresses that can be called.

A module becomes an object file, the object file becomes a :class:`LinkedLibrary` whose code lives as long as
the Python object. One JIT links many of them and is freed after the last. Object files are kept on disk by
:mod:`gluonic.codegen.machine.cache`, so a second process links without compiling.
"""

from __future__ import annotations

import itertools
import mmap
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from gluonic.codegen.machine import cache
from gluonic.codegen.machine.llvm_options import own_llvm_options
from gluonic.codegen.machine.runtime_symbols import addresses, give_back_memory
from gluonic.codegen.machine.target import Target, host, load_llvm
from gluonic.graph.events import EVENTS
from gluonic.support.deferred_signals import deferred_signals

_lock = threading.RLock()
_numbers = itertools.count()
_engines: dict[Target, Any] = {}
_trackers: dict[int, Any] = {}
"""The objects that keep the code of each library in memory, by its number. The garbage collector may find a
library in a cycle at any time; held here, none is closed while a signal could interrupt that."""
_unused: deque[int] = deque()
"""The numbers of libraries to which there is no reference any more."""
MOST_LINKED = 64
"""LLVM keeps parts of each library until its JIT is freed, so a new JIT starts after this many."""

WRITTEN_OUT = "gluonic-written-out"
"""An attribute of functions for a GPU whose loops and registers are as they shall be."""
_ROOM, _ROOM_A_BYTE = 16 << 20, 16
"""The most memory, in bytes, that LLVM uses for a module, and for each byte of its text."""

# A fork while another thread compiles would leave the child a lock nobody can open.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


class LinkedLibrary:
    """Linked machine code; without references, it is freed when other code is linked.

    Parameters
    ----------
    number : int
        Its index among all linked libraries.
    addresses : mapping of str to int
        The functions that can be called.
    size : int
        The size of the object files in bytes.
    """

    def __init__(self, number: int, addresses: Mapping[str, int], size: int) -> None:
        self._number, self.addresses, self.size = number, addresses, size

    def __getitem__(self, name: str) -> int:
        """Return the address of a function."""
        return self.addresses[name]

    def __del__(self, _unused: deque[int] = _unused) -> None:
        """Let the code be freed with the next that is linked.

        It isn't freed here: a signal that arrived meanwhile would be raised in here, where nobody sees it.
        """
        _unused.append(self._number)


class ObjectFile(NamedTuple):
    """An object file.

    Attributes
    ----------
    name : str
        Its name in the disk cache.
    text : str
        The module that it was compiled from.
    image : bytes
        Its contents.
    from_disk : bool
        Whether it came from the disk cache.
    """

    name: str
    text: str
    image: bytes
    from_disk: bool


def load(
    text: str,
    names: Sequence[str],
    imports: Sequence[str] = (),
    target: Target | None = None,
    symbols: Mapping[str, int] | None = None,
) -> LinkedLibrary:
    """Compile a module, or take it from the disk cache, and link it into this process.

    Parameters
    ----------
    text : str
        The module in LLVM's textual form.
    names : sequence of str
        Functions whose addresses are needed.
    imports : sequence of str
        C library functions that the module calls by name.
    target : Target, default: the host
        The target; this machine must be able to run it.
    symbols : mapping of str to int, default: none
        Addresses of other functions and data that the module refers to.

    Returns
    -------
    LinkedLibrary
    """
    target = target or host()
    library, _ = link_files([object_file(text, target)], names, imports, target, symbols or {})
    return library


def object_file(text: str, target: Target) -> ObjectFile:
    """Compile a module, or take it from the disk cache."""
    compiled = []

    def compile_now() -> bytes:
        with EVENTS.span("optimise and assemble", "compile") if EVENTS.symbolic else nullcontext():
            compiled.append(compile_object(text, target))
        return compiled[0]

    with deferred_signals():
        name = cache.key(text, target)
        return ObjectFile(name, text, cache.fetch(name, compile_now), not compiled)


def link_files(
    files: Sequence[ObjectFile],
    names: Sequence[str],
    imports: Sequence[str],
    target: Target,
    symbols: Mapping[str, int],
) -> tuple[LinkedLibrary, Sequence[ObjectFile]]:
    """Link object files as :func:`link` does; those on disk that do not define the names are compiled anew."""
    try:
        return link([file.image for file in files], names, imports, target, symbols), files
    except RuntimeError:
        if not any(file.from_disk for file in files):
            raise
    made = [ObjectFile(f.name, f.text, compile_object(f.text, target), False) for f in files]
    for file in made:
        cache.store(file.name, file.image)
    return link([file.image for file in made], names, imports, target, symbols), made


def link(
    images: Sequence[bytes],
    names: Sequence[str],
    imports: Sequence[str],
    target: Target,
    symbols: Mapping[str, int],
) -> LinkedLibrary:
    """Link object files, which may call each other's functions, into one library of this process."""
    llvm = load_llvm()
    with deferred_signals():
        builder = llvm.JITLibraryBuilder()
        for image in images:
            builder.add_object_img(image)
        for name, address in {**addresses(imports), **symbols}.items():
            builder.import_symbol(name, address)
        for name in names:
            builder.export_symbol(name)
        with _lock:
            while _unused:
                _trackers.pop(_unused.popleft()).close()
            number = next(_numbers)
            if target not in _engines or number % MOST_LINKED == 0:
                _engines[target] = llvm.create_lljit_compiler(target.machine(), use_jit_link=True)
            tracker = builder.link(_engines[target], f"gluonic{number}")
            _trackers[number] = tracker
        addresses_by_name = {name: int(tracker[name]) for name in names}
    return LinkedLibrary(number, addresses_by_name, sum(map(len, images)))


def compile_object(text: str, target: Target) -> bytes:
    """Return the optimised object file of a module."""
    image = bytes(lowered(text, target, lambda machine, module: machine.emit_object(module)))
    give_back_memory()
    return image


def assembly(text: str, target: Target | None = None) -> str:
    """Return the optimised assembly of a module, to read."""
    return str(
        lowered(text, target or host(), lambda machine, module: machine.emit_assembly(module))
    )


def optimised(text: str, target: Target | None = None) -> str:
    """Return the module's text after LLVM's optimiser, to read."""
    return str(lowered(text, target or host(), lambda machine, module: str(module)))


def lowered(text: str, target: Target, finish: Callable[[Any, Any], Any]) -> Any:
    """Parse, verify and optimise a module in its own context, then call `finish` on it.

    LLVM's objects are closed here, the module before its context: if an error left them to Python's garbage
    collector, it would close them in any order, and LLVM would crash.
    """
    llvm = load_llvm()
    _check_room(text)
    with (
        deferred_signals(),
        _lock,
        target.machine() as machine,
        llvm.create_context() as context,
        llvm.parse_assembly(text, context) as module,
    ):
        module.triple = target.triple
        module.data_layout = str(machine.target_data)
        module.verify()
        if target.is_gpu:
            _optimise_for_gpu(module, machine)
        else:
            _optimise(module, machine)
        with own_llvm_options(target):
            return finish(machine, module)


def _check_room(text: str) -> None:
    """Raise an error where memory is short: LLVM would end the process."""
    try:
        mmap.mmap(-1, _ROOM + _ROOM_A_BYTE * len(text)).close()
    except OSError as error:
        raise MemoryError(f"not enough memory to compile {len(text)} bytes of LLVM code") from error


def _optimise(module: Any, machine: Any) -> None:
    """Promote slots to registers, simplify the blocks, and inline only functions marked for it.

    The loops are explicit SIMD with their invariants outside, so more passes make them no faster, but took most
    of the time and the memory of compiling. The instruction selector does the rest.
    """
    llvm = load_llvm()
    with (
        llvm.create_pipeline_tuning_options() as tuning,
        llvm.create_pass_builder(machine, tuning) as builder,
        llvm.create_new_module_pass_manager() as inliner,
        llvm.create_new_function_pass_manager() as passes,
    ):
        inliner.add_always_inliner_pass()
        inliner.run(module, builder)
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        for function in module.functions:
            if not function.is_declaration and not _is_for_quick_selection(function):
                passes.run(function, builder)


def _optimise_for_gpu(module: Any, machine: Any) -> None:
    """Run all of LLVM's passes: threads' values must end up in registers, whose number decides the speed.

    Functions that are marked as written out have them there; for them all passes took half of the time to
    compile, and change nothing that the driver's compiler leaves so.
    """
    llvm = load_llvm()
    written_out = [f for f in module.functions if _has_attribute(f, WRITTEN_OUT.encode())]
    with (
        llvm.create_pipeline_tuning_options(speed_level=3) as tuning,
        llvm.create_pass_builder(machine, tuning) as builder,
    ):
        if not written_out:
            with builder.getModulePassManager() as passes:
                passes.run(module, builder)
            return
        with llvm.create_new_function_pass_manager() as few:
            few.add_sroa_pass()
            few.add_simplify_cfg_pass()
            few.add_instruction_combine_pass()
            for function in written_out:
                few.run(function, builder)


def _is_for_quick_selection(function: Any) -> bool:
    """Whether a function is marked for no optimisation; LLVM would print that it skips passes."""
    return _has_attribute(function, b"optnone")


def _has_attribute(function: Any, name: bytes) -> bool:
    return any(name in attributes for attributes in function.attributes)
