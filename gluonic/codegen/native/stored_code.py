"""Linked machine code as text, and back: the object files on disk, and how they refer to each other.

An object file may call functions of others: those that were compiled earlier for other graphs, and large ones
that are compiled separately.
"""

from collections.abc import Mapping
from typing import Any

from gluonic.codegen.machine import cache
from gluonic.codegen.machine.jit import link
from gluonic.codegen.machine.target import host
from gluonic.codegen.matmul import blas
from gluonic.codegen.native.shared_kernels import KernelLibrary, LinkSource, living_library


def described(library: KernelLibrary) -> list[dict[str, Any]]:
    """Describe a library, after those that it calls, as values of JSON."""
    found: dict[KernelLibrary, dict[str, Any]] = {}

    def describe(each: KernelLibrary) -> None:
        for called, _ in each.others.values():
            if called not in found:
                describe(called)
        numbers = {other: number for number, other in enumerate(found)}
        source = each.source
        found[each] = {
            "objects": [*source.objects],
            "names": [*source.names],
            "imports": [*source.imports],
            "symbols": [*source.symbols],
            "keys": dict(each.keys),
            "others": {name: [numbers[other], key] for name, (other, key) in each.others.items()},
        }

    describe(library)
    return [*found.values()]


def linked(descriptions: list[dict[str, Any]]) -> KernelLibrary | None:
    """The last of some libraries, linked unless they are in memory; None if an object file is missing."""
    libraries: list[KernelLibrary] = []
    for each in descriptions:
        others = {name: (libraries[number], key) for name, (number, key) in each["others"].items()}
        living = living_library(each["objects"], each["keys"], others)
        library = living or _linked(each, others)
        if library is None:
            return None
        libraries.append(library)
    return libraries[-1]


def _linked(
    described: Mapping[str, Any], others: Mapping[str, tuple[KernelLibrary, str]]
) -> KernelLibrary | None:
    addresses = {name: blas.address_of(name) for name in described["symbols"]}
    known = {name: address for name, address in addresses.items() if address is not None}
    if len(known) < len(addresses):
        return None
    found = [cache.read(name) for name in described["objects"]]
    images = [image for image in found if image is not None]
    if len(images) < len(found):
        return None
    source = LinkSource(described["objects"], described["names"], described["imports"], known)
    called = {name: library.by_key[key] for name, (library, key) in others.items()}
    try:
        made = link(images, source.names, source.imports, host(), {**known, **called})
    except RuntimeError:  # they do not define these names: the caller compiles them
        return None
    return KernelLibrary(made, source, described["keys"], others)
