"""Functions of steps that are in memory already: a graph that would compile the same text calls them instead.

Nets resemble each other, and the graph of a training step the one that predicts. A function is known by its own
text and all that it refers to, so it makes no difference for which graph it was compiled.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from weakref import WeakValueDictionary

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.module_text import with_callees
from gluonic.support.locks import lock


class KernelLibrary:
    """The machine code of a graph: what was compiled for it, and functions of others' that it calls.

    Parameters
    ----------
    linked : what was compiled
    keys : of the steps' functions in it, by name
    others : by name functions that were in memory, with their keys

    Attributes
    ----------
    addresses : of all functions, by name
    """

    # Only this class is referred to weakly: a weak reference to what it links could revive one that is closing.

    def __init__(
        self,
        linked: LinkedLibrary,
        keys: Mapping[str, str],
        others: Mapping[str, tuple["KernelLibrary", str]],
    ) -> None:
        self.linked = linked
        self.by_key = {key: linked[name] for name, key in keys.items()}
        found = {name: library.by_key[key] for name, (library, key) in others.items()}
        self.addresses = {**linked.addresses, **found}
        self._kept = {library for library, _ in others.values()}


_living: WeakValueDictionary[str, KernelLibrary] = WeakValueDictionary()
"""By its key the library that a function is in."""
_lock = lock()


def link_steps(module: LLVMModule, runs: Sequence[str], steps: Iterable[str]) -> KernelLibrary:
    """Compile what of a module is not in memory yet, and link all of it.

    Parameters
    ----------
    module : the module
    runs : the names of the functions that call steps
    steps : the names of the steps' functions, ``void step(char**, const int64_t*, int64_t, int64_t)``
    """
    digests = {name: _digest(text) for name, text in module.definitions.items()}
    keys = {name: _key(module, name, digests) for name in steps}
    with _lock:
        found = {
            name: (library, key)
            for name, key in keys.items()
            if (library := _living.get(key)) is not None
        }
    own = {name: key for name, key in keys.items() if name not in found}
    rest = _without(module, found, (*runs, *own))
    for name, (library, key) in found.items():
        rest.extern(name, library.by_key[key], ["ptr", "ptr", "i64", "i64"])
    linked = load(rest.text(), [*runs, *own], tuple(rest.imports), symbols=rest.symbols)
    made = KernelLibrary(linked, own, found)
    with _lock:
        for key in own.values():
            _living.setdefault(key, made)
    return made


def _without(module: LLVMModule, gone: Collection[str], roots: Iterable[str]) -> LLVMModule:
    """What of a module the roots need, if some functions are elsewhere."""
    left = {name: text for name, text in module.definitions.items() if name not in gone}
    wanted = with_callees(left, roots)
    kept = {name: text for name, text in left.items() if name in wanted}
    return replace(
        module,
        definitions=kept,
        declarations=dict(module.declarations),
        symbols=dict(module.symbols),
    )


def _key(module: LLVMModule, name: str, digests: Mapping[str, str]) -> str:
    """What decides a function's machine code, under whatever name."""
    text = module.definitions[name]
    parts = [repr(module.target), text.replace(f"@{name}(", "@(", 1)]
    for each in sorted(with_callees(module.definitions, [name]) - {name}):
        parts += [each, digests.get(each, ""), str(module.symbols.get(each, ""))]
    parts += module.hints  # to which texts refer by number
    return _digest("\0".join(parts))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
