"""Functions of steps that are in memory already: a graph that would compile the same text calls them instead.

Nets resemble each other, and graphs for training resemble those for inference. A function is identified by its
text and all that it refers to, regardless of the graph that it was compiled for.

Large functions that steps call, such as panels of products, are equal in many nets with different steps. They
are compiled separately, so that they are found in memory and on disk by other nets.
"""

import hashlib
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any
from weakref import WeakValueDictionary

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, ObjectFile, link_files, object_file
from gluonic.codegen.machine.module_text import references, with_callees
from gluonic.support.locks import lock
from gluonic.support.pieces import Pieces
from gluonic.support.record import record


@record
class CodeOrigin:
    """The origin of machine code.

    Attributes
    ----------
    functions : the number of functions of steps, and of large ones that these call, for a graph and its shapes
    shared : the number of those that were in memory already, compiled for other graphs or shapes
    from_disk : whether the others were found in the disk cache
    seconds : the time of compiling or loading, and of linking
    """

    functions: int
    shared: int
    from_disk: bool
    seconds: float

    def __str__(self) -> str:
        how = "found on disk" if self.from_disk else "compiled"
        return f"{self.functions} functions {how} in {self.seconds:.3f} s, {self.shared} in memory"


@record
class LinkSource:
    """What a library was linked from, besides functions of other libraries.

    Attributes
    ----------
    objects : the names of its object files
    names : the functions in them that can be called
    imports : the functions of the C library that they call
    symbols : the addresses of other functions, by name
    """

    objects: Sequence[str]
    names: Sequence[str]
    imports: Sequence[str]
    symbols: Mapping[str, int]


class KernelLibrary:
    """The machine code of a graph: functions compiled for it, and shared ones that it calls.

    A new library is entered in the table of functions in memory.

    Parameters
    ----------
    linked : the compiled functions
    source : what they were linked with
    keys : the keys of the steps' functions in it, by name
    others : the functions of other libraries that it calls, by name, with their keys

    Attributes
    ----------
    addresses : the addresses of all functions, by name
    size : the bytes of all object files that were created for the graph
    origin : the origin of the code
    """

    origin: CodeOrigin

    # Only this class is referred to weakly: a weak reference to what it links could revive one that is closing.

    def __init__(
        self,
        linked: LinkedLibrary,
        source: LinkSource,
        keys: Mapping[str, str],
        others: Mapping[str, tuple["KernelLibrary", str]],
    ) -> None:
        self.linked, self.source, self.keys, self.others = linked, source, keys, others
        self.size = linked.size
        self.by_key = {key: linked[name] for name, key in keys.items()}
        found = {name: library.by_key[key] for name, (library, key) in others.items()}
        self.addresses = {**linked.addresses, **found}
        with _lock:
            LIBRARIES.setdefault(_identity(source.objects, keys, others), self)
            for key in keys.values():
                LIVING.setdefault(key, self)


LIBRARIES: WeakValueDictionary[Any, KernelLibrary] = WeakValueDictionary()
"""The libraries by their object files and the functions of others that they call."""
LIVING: WeakValueDictionary[str, KernelLibrary] = WeakValueDictionary()
"""The library of each function, by the function's key."""
_lock = lock()
_recent: deque[KernelLibrary] = deque(maxlen=16)
"""Libraries of large functions, kept for later nets even if the first one that used them is gone."""
_LARGE = 1 << 13
"""The least size of a function that is compiled separately, in bytes of its text."""
_BATCH = 32 << 10
"""About the size of the functions that are compiled together, in bytes of their text."""
_A_MODULE, _A_BYTE = 3_000_000, 500
"""The time that LLVM takes for a module, and for a byte of its text, in nanoseconds, roughly."""
_HINT = re.compile(r"!\d")
_HEAD = re.compile(r"define internal void @[\w.$]+\(([^)]*)\)")
Found = Mapping[str, tuple[KernelLibrary, str]]
"""Functions that are in memory, by name, with their keys."""


def link_steps(
    module: LLVMModule, runs: Sequence[str], steps: Iterable[str]
) -> Pieces[KernelLibrary]:
    """Compile the functions of a module that are not in memory yet, and link the module.

    The pieces and their costs follow from the module alone, not from what is in memory or on disk.

    Parameters
    ----------
    module : the module
    runs : the names of the functions that call steps
    steps : the names of the steps' functions, ``void step(char**, const int64_t*, int64_t, int64_t)``
    """
    contents = _Contents(module)
    keys = {name: contents.key(name) for name in steps}
    large_keys = {name: contents.key(name) for name in contents.large_functions(keys)}
    found = _living(keys)
    own = {name: key for name, key in keys.items() if name not in found}
    called = _living(large_keys)
    needed = contents.large_functions(own)
    missing = {name: large_keys[name] for name in needed if name not in called}
    apart = _Linking(contents, [*contents.batches([*large_keys])], missing, called)
    yield from apart.compile()
    large = apart.linked() if missing else None
    if large is not None:
        _recent.append(large)
        called = {**called, **{name: (large, key) for name, key in missing.items()}}
    others = {**found, **{name: called[name] for name in needed}}
    batches = [*contents.batches([*keys, *runs], large_keys)]
    linking = _Linking(contents, batches, own, others, runs)
    yield from linking.compile()
    made = linking.linked()
    made.size += large.size if large else 0
    count = len(made.by_key) + (len(large.by_key) if large else 0)
    made.origin = CodeOrigin(
        functions=count,
        shared=len(others) + len(own) - count,
        from_disk=apart.from_disk and linking.from_disk,
        seconds=apart.seconds + linking.seconds,
    )
    return made


def _living(keys: Mapping[str, str]) -> "Found":
    """The functions that are in memory, by name, of those with these keys."""
    with _lock:
        return {name: (x, key) for name, key in keys.items() if (x := LIVING.get(key)) is not None}


class _Contents:
    """A module, and cached facts about its functions.

    Attributes
    ----------
    definitions : the definitions of the module
    references : the names in the text of each
    """

    def __init__(self, module: LLVMModule) -> None:
        self.module, self.definitions = module, module.definitions
        self.references = references(self.definitions)
        self._digests: dict[str, str] = {}

    def key(self, name: str) -> str:
        """The key of a function's machine code, which does not depend on its name."""
        text, called = self.definitions[name], with_callees(self.references, [name])
        parts = [*self.module.target.names, text.replace(f"@{name}(", "@(", 1)]
        for each in sorted(called - {name}):
            parts += [each, self._digest(each)]
        parts += self.hints(called)
        return _digest("\0".join(parts))

    def _digest(self, name: str) -> str:
        """The digest of a function's text; an empty string if it is not defined here."""
        if name not in self._digests:
            text = self.definitions.get(name)
            self._digests[name] = "" if text is None else _digest(text)
        return self._digests[name]

    def hints(self, names: Iterable[str]) -> list[str]:
        """The metadata of the module, if some functions refer to it, by number."""
        hints = self.module.hints
        refer = hints and any(_HINT.search(self.definitions.get(name, "")) for name in names)
        return hints if refer else []

    def large_functions(self, steps: Iterable[str]) -> list[str]:
        """The large functions that steps call."""
        called = with_callees(self.references, steps)
        return sorted(name for name in called if _is_large(self.definitions.get(name, "")))

    def batches(
        self, names: Sequence[str], elsewhere: Iterable[str] = ()
    ) -> Iterator[tuple[list[str], int]]:
        """Functions to compile together: each batch, and the size of its text in bytes.

        Parameters
        ----------
        names : the functions
        elsewhere : other functions that are compiled separately, by default none
        """
        apart, batch, wanted, size = {*names, *elsewhere}, list[str](), set[str](), 0
        left = self._referred_without(apart)
        for name in names:
            called = with_callees(left, self.references[name] - apart) - apart
            needed = {name, *called} - wanted
            added = sum(len(self.definitions.get(each, "")) for each in needed)
            if batch and size + added > _BATCH + _BATCH // 2:
                yield batch, size
                batch, wanted, size = [], set(), 0
            batch.append(name)
            wanted |= needed
            size += added
            if size >= _BATCH:
                yield batch, size
                batch, wanted, size = [], set(), 0
        if batch:
            yield batch, size

    def _referred_without(self, gone: Collection[str]) -> dict[str, set[str]]:
        """What each function refers to, without functions that are elsewhere."""
        return {name: called for name, called in self.references.items() if name not in gone}

    def part(self, names: Sequence[str], elsewhere: Collection[str]) -> LLVMModule:
        """The module of some functions, which can be called, without functions that are elsewhere."""
        module = self.module
        needed = with_callees(self._referred_without(elsewhere), names)
        kept = {name: text for name, text in module.definitions.items() if name in needed}
        for name in elsewhere:
            kept.pop(name, None)
        for name in names:
            kept[name] = kept[name].replace("define internal ", "define ", 1)
        made = replace(
            module,
            definitions=kept,
            declarations={n: text for n, text in module.declarations.items() if n in needed},
            imports={name: None for name in module.imports if name in needed},
            symbols={name: x for name, x in module.symbols.items() if name in needed},
            hints=self.hints(kept),
        )
        for name in needed.intersection(elsewhere):
            made.declare(name, "void", _arguments(module.definitions[name]))
        return made


class _Linking:
    """A library in the making: functions of a module that are compiled in batches, then linked.

    Parameters
    ----------
    contents : the module
    batches : functions that are compiled together, and the size of their text in bytes; those that are in
        memory are among them, so that batches follow from the module alone
    own : those to compile that others may share, with their keys
    others : functions that are in memory
    runs : further functions to compile

    Attributes
    ----------
    from_disk : whether all object files were found on disk
    seconds : the time it took
    """

    def __init__(
        self,
        contents: "_Contents",
        batches: Sequence[tuple[list[str], int]],
        own: Mapping[str, str],
        others: Found,
        runs: Sequence[str] = (),
    ) -> None:
        self._contents, self._batches, self._own, self._others = contents, batches, own, others
        names = [name for batch, _ in batches for name in batch]
        self._compiled = [name for name in names if name in own or name in runs]
        self._files: list[ObjectFile] = []
        self._imports: dict[str, None] = {}
        self._symbols: dict[str, int] = {}
        self.from_disk, self.seconds = True, 0.0

    def compile(self) -> Pieces[None]:
        """Compile the functions."""
        chosen = {*self._compiled}
        for names, size in self._batches:
            yield _A_MODULE + _A_BYTE * size
            batch = [name for name in names if name in chosen]
            if batch:
                begin = perf_counter()
                self._compile(batch)
                self.seconds += perf_counter() - begin

    def _compile(self, batch: Sequence[str]) -> None:
        elsewhere = {*self._compiled, *self._others}.difference(batch)
        part = self._contents.part(batch, elsewhere)
        for name in elsewhere & part.declarations.keys():
            if name in self._others:
                library, key = self._others[name]
                part.symbols[name] = library.by_key[key]
        made = object_file(part.text(), part.target)
        self._files.append(made)
        self._imports.update(part.imports)
        self._symbols.update(part.symbols)

    def linked(self) -> KernelLibrary:
        """The library."""
        begin = perf_counter()
        imports, target = tuple(self._imports), self._contents.module.target
        given = self._compiled, imports, target, self._symbols
        linked, files = link_files(self._files, *given)
        called = {name: x for name, x in self._others.items() if name in self._symbols}
        own = {name: at for name, at in self._symbols.items() if name not in called}
        source = LinkSource([file.name for file in files], self._compiled, imports, own)
        library = KernelLibrary(linked, source, self._own, called)
        self.from_disk = all(file.from_disk for file in files)
        self.seconds += perf_counter() - begin
        return library


def living_library(
    objects: Sequence[str], keys: Mapping[str, str], others: Found
) -> KernelLibrary | None:
    """The library in memory that was linked from object files and functions of other libraries, if any."""
    with _lock:
        return LIBRARIES.get(_identity(objects, keys, others))


def _identity(objects: Sequence[str], keys: Mapping[str, str], others: Found) -> tuple[str, ...]:
    called = {name: key for name, (_, key) in others.items()}
    return *objects, *[f"{name} {key}" for name, key in sorted({**keys, **called}.items())]


def _arguments(text: str) -> list[str]:
    """The types of a function's arguments."""
    listed = text[text.index("(") + 1 : text.index(")")]
    return [argument.split()[0] for argument in listed.split(", ")]


def _is_large(text: str) -> bool:
    return len(text) >= _LARGE and _HEAD.match(text) is not None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
