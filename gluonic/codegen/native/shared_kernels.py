"""Functions of steps that are in memory already: a graph that would compile the same text calls them instead.

Nets resemble each other, and graphs for training resemble those for inference. A function is identified by its
text and all that it refers to, regardless of the graph that it was compiled for.

Large functions that steps call, such as panels of products, are equal in many nets with different steps. They
are compiled separately, so that they are found in memory and on disk by other nets.
"""

import hashlib
import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any
from weakref import WeakValueDictionary

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.module_text import references, with_callees
from gluonic.support.locks import lock
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
    """What an object file was linked with, besides functions of other libraries.

    Attributes
    ----------
    names : the functions in it that can be called
    imports : the functions of the C library that it calls
    symbols : the addresses of other functions, by name
    """

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
            LIBRARIES.setdefault(_identity(linked.name, keys, others), self)
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
_HINT = re.compile(r"!\d")
_HEAD = re.compile(r"define internal void @[\w.$]+\(([^)]*)\)")
Found = Mapping[str, tuple[KernelLibrary, str]]
"""Functions that are in memory, by name, with their keys."""


def link_steps(module: LLVMModule, runs: Sequence[str], steps: Iterable[str]) -> KernelLibrary:
    """Compile the functions of a module that are not in memory yet, and link the module.

    Parameters
    ----------
    module : the module
    runs : the names of the functions that call steps
    steps : the names of the steps' functions, ``void step(char**, const int64_t*, int64_t, int64_t)``
    """
    begin = perf_counter()
    contents = _Contents(module)
    keys = {name: contents.key(name) for name in steps}
    with _lock:
        found = {
            name: (library, key)
            for name, key in keys.items()
            if (library := LIVING.get(key)) is not None
        }
    own = {name: key for name, key in keys.items() if name not in found}
    called, apart = _large_functions(contents, own)
    made = _linked(contents, [*runs, *own], own, {**found, **called})
    made.size += apart.size if apart else 0
    parts = [made, apart] if apart else [made]
    count = sum(len(part.by_key) for part in parts)
    from_disk = all(part.linked.from_disk for part in parts)
    shared = len(found) + len(called) + len(own) - count
    made.origin = CodeOrigin(count, shared, from_disk, perf_counter() - begin)
    return made


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


def _linked(
    contents: _Contents, names: Sequence[str], keys: Mapping[str, str], others: Found
) -> KernelLibrary:
    """Compile functions of a module, and link them with others that are in memory."""
    others = {name: found for name, found in others.items() if name in contents.definitions}
    rest = _without(contents, others, names)
    for name, (library, key) in others.items():
        rest.extern(name, library.by_key[key], _arguments(contents.definitions[name]))
    imports = tuple(rest.imports)
    linked = load(rest.text(), names, imports, symbols=rest.symbols)
    own = {name: address for name, address in rest.symbols.items() if name not in others}
    return KernelLibrary(linked, LinkSource(names, imports, own), keys, others)


def living_library(
    object_file: str, keys: Mapping[str, str], others: Found
) -> KernelLibrary | None:
    """The library in memory that was linked from an object file and functions of other libraries, if any."""
    with _lock:
        return LIBRARIES.get(_identity(object_file, keys, others))


def _identity(object_file: str, keys: Mapping[str, str], others: Found) -> tuple[str, ...]:
    called = {name: key for name, (_, key) in others.items()}
    return object_file, *[f"{name} {key}" for name, key in sorted({**keys, **called}.items())]


def _arguments(text: str) -> list[str]:
    """The types of a function's arguments."""
    listed = text[text.index("(") + 1 : text.index(")")]
    return [argument.split()[0] for argument in listed.split(", ")]


def _large_functions(
    contents: _Contents, steps: Iterable[str]
) -> tuple[Found, KernelLibrary | None]:
    """The large functions that steps call; those that are not in memory are compiled together."""
    called = with_callees(contents.references, steps)
    large = [name for name in called if _is_large(contents.definitions.get(name, ""))]
    keys = {name: contents.key(name) for name in sorted(large)}
    with _lock:
        found = {name: (x, key) for name, key in keys.items() if (x := LIVING.get(key)) is not None}
    own = {name: key for name, key in keys.items() if name not in found}
    if not own:
        return found, None
    library = _linked(_Contents(_opened(contents, own)), [*own], own, found)
    _recent.append(library)
    return {**found, **{name: (library, key) for name, key in own.items()}}, library


def _is_large(text: str) -> bool:
    return len(text) >= _LARGE and _HEAD.match(text) is not None


def _opened(contents: _Contents, names: Collection[str]) -> LLVMModule:
    """Functions with all that they need, in a separate module, so that others can call them."""
    module, needed = contents.module, with_callees(contents.references, names)
    kept = {each: module.definitions[each] for each in sorted(needed & module.definitions.keys())}
    for name in names:
        kept[name] = kept[name].replace("define internal ", "define ", 1)
    return replace(
        module,
        definitions=kept,
        declarations={
            name: module.declarations[name] for name in sorted(needed & module.declarations.keys())
        },
        imports=dict.fromkeys(sorted(needed & module.imports.keys())),
        symbols={name: x for name, x in module.symbols.items() if name in needed},
        hints=contents.hints(kept),
    )


def _without(contents: _Contents, gone: Collection[str], roots: Iterable[str]) -> LLVMModule:
    """The part of a module that the roots need, without some functions that are elsewhere."""
    module = contents.module
    left = {name: called for name, called in contents.references.items() if name not in gone}
    wanted = with_callees(left, roots)
    kept = {name: module.definitions[name] for name in left if name in wanted}
    return replace(
        module,
        definitions=kept,
        declarations=dict(module.declarations),
        symbols=dict(module.symbols),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
