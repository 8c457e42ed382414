"""Writing a library: machine code for all batch sizes, the weights, a header."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from gluonic._version import __version__
from gluonic.codegen.library.constants import Constants, prepacked_values
from gluonic.codegen.library.context import ContextCode, ContextLayout
from gluonic.codegen.library.elf import undefined_names
from gluonic.codegen.library.header import HeaderFacts, header
from gluonic.codegen.library.interface import KINDS, Interface, VariantFunctions
from gluonic.codegen.library.linking import link as link_shared
from gluonic.codegen.library.linking import linker
from gluonic.codegen.library.ports import Port
from gluonic.codegen.library.refusals import LibraryError
from gluonic.codegen.library.variant import Variant
from gluonic.codegen.library.web.arithmetic import ARITHMETIC, add_arithmetic
from gluonic.codegen.library.web.linking import HEAP_BASE, link
from gluonic.codegen.library.web.memory import ALLOCATION, add_memory
from gluonic.codegen.library.web.object_file import read_object
from gluonic.codegen.library.web.script import PROVIDED, script
from gluonic.codegen.library.weights import SECTION, LibraryWeights
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import compile_object
from gluonic.codegen.machine.runtime_symbols import IMPLICIT
from gluonic.codegen.machine.target import (
    WEB,
    Target,
    TargetError,
    compiling_for,
    processor,
    without_blas,
)
from gluonic.codegen.native.module import SharedFunctions, write_run
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.variants import BatchedInputs, find_variants
from gluonic.graph import Array, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import describe
from gluonic.graph.files import write_atomically
from gluonic.support.pieces import finish
from gluonic.support.record import record

_MOST_INSIDE = 1 << 30
"""The most bytes of weights in a library: code reaches no further."""
_UNFIT = re.compile(r"\W+", re.ASCII)


@record
class LibrarySource:
    """What a library is made of.

    Attributes
    ----------
    graph : the graph
    inputs : its variables
    values : the arrays of those that are weights
    shapes : the shapes and dtypes of the others, for one batch size, in the order of calls
    axes : for each of these, the axis of the batch; None if it has none
    names : the names of the outputs
    """

    graph: Graph
    inputs: Sequence[Node]
    values: Mapping[Node, Array]
    shapes: Mapping[Node, tuple[Shape, Any]]
    axes: Mapping[Node, int | None]
    names: Sequence[str]


@record
class LibraryFiles:
    """The files of a library.

    Attributes
    ----------
    library : the shared library or object file
    header : its header; of WebAssembly, a module of JavaScript
    weights : the file of weights; None if they are in the library
    """

    library: Path
    header: Path
    weights: Path | None


def write_library(
    source: LibrarySource, path: Path, *, cpu: str = "", most: int = 64, beside: bool = False
) -> LibraryFiles:
    """Write a library: ``net.so`` or ``net.o``, ``net.h``, and ``net.weights`` if the weights are beside it.

    For browsers, it writes ``net.wasm`` and ``net.mjs``.

    Parameters
    ----------
    path : the file; ``.o`` is an object file, which needs no C compiler, ``.wasm`` is WebAssembly
    cpu : the processor, as for `processor`
    most : the largest batch size
    beside : whether the weights are in a file beside the library

    Raises
    ------
    LibraryError
        if the net has something that is no machine code; nothing is written
    LinkError
        if there is no C compiler, or it fails
    TargetError
        if the processor is unknown
    """
    is_web = path.suffix == ".wasm"
    target = without_blas(processor(cpu or (WEB.architecture if is_web else "")))
    if target.is_web != is_web:
        raise TargetError(
            f"export_library: {path.name} for {target.architecture}: code for "
            f"{WEB.architecture}, and no other, is in files that end with .wasm"
        )
    if is_web:
        return _write_web(source, path, target, most)
    is_object = path.suffix == ".o"
    command = [] if is_object else linker(target, path.name)
    with compiling_for(target):
        image, facts, weights = _compiled(source, path, target, most, beside)
    image = weights.filled(image)
    content = image if is_object else link_shared(command, image, path)
    places = LibraryFiles(path, path.with_suffix(".h"), path.with_suffix(".weights"))
    if weights.beside:
        weights.save(path.with_suffix(".weights"))
    write_atomically(places.header, header(facts).encode())
    write_atomically(path, content)
    return LibraryFiles(path, places.header, places.weights if weights.beside else None)


def _write_web(source: LibrarySource, path: Path, target: Target, most: int) -> LibraryFiles:
    """Write ``net.wasm``, and ``net.mjs``, which calls it."""
    with compiling_for(target):
        image, facts, weights = _compiled(source, path, target, most, False)
    file = read_object(image)
    needed = file.needed()
    lacking = [name for name in needed if name not in PROVIDED]
    if lacking:
        raise LibraryError(
            describe(
                f"the net needs {', '.join(lacking)}, which WebAssembly does not have",
                where="export_library",
            )
        )
    functions = [f"{facts.prefix}_{kind}" for kind in KINDS]
    content = link(file, [*functions, *ALLOCATION], {SECTION: weights.image.tobytes()})
    text = script(
        path.stem,
        facts.prefix,
        facts.version,
        facts.inputs,
        facts.outputs,
        (facts.least, facts.most),
        needed,
    )
    places = LibraryFiles(path, path.with_suffix(".mjs"), None)
    write_atomically(places.header, text.encode())
    write_atomically(path, content)
    return places


def _compiled(
    source: LibrarySource, path: Path, target: Target, most: int, beside: bool
) -> tuple[bytes, HeaderFacts, LibraryWeights]:
    """The object file, with room for the weights unless they are beside it, and what the header says."""
    prefix = _identifier(path.stem)
    inputs = source.inputs
    given = {node: (array.shape, array.dtype) for node, array in source.values.items()}
    arrays = [AbstractArray(*(source.shapes.get(node) or given[node])) for node in inputs]
    batches = BatchedInputs(arrays, [source.axes.get(node) for node in inputs])
    most = max(most, batches.size) if batches.varies else batches.size
    variants = find_variants(source.graph, inputs, frozenset(source.values), batches, most)
    module, constants = LLVMModule(target), Constants()
    layout, shared, functions = ContextLayout.of(variants), SharedFunctions(module), []
    for number, variant in enumerate(variants):
        functions.append(_write_variant(shared, layout, number, variant, source, constants))
    weights = LibraryWeights(constants.image(), beside, "weights")
    _check_size(weights)
    weights.declare(module)
    ports = _ports(source, variants)
    version = (
        f"gluonic {__version__}; {target.architecture}, {target.cpu}; {weights.digest.hex()[:16]}"
    )
    interface = Interface(
        module, prefix, variants, functions, layout, weights, *ports, most, version
    )
    names = interface.write()
    if target.is_web:
        add_memory(module)
        add_arithmetic(module)
        names = [*names, *ALLOCATION, *ARITHMETIC, HEAP_BASE]
    _hide(module, names)
    assert not module.symbols
    image = compile_object(module.text(), target)
    if not target.is_web:
        _check_names(image, module)
    file = path.with_suffix(".weights").name if beside else ""
    least = 1 if batches.varies else most
    facts = HeaderFacts(prefix, version, *ports, least, most, file)
    return image, facts, weights


def _write_variant(
    shared: SharedFunctions,
    layout: ContextLayout,
    number: int,
    variant: Variant,
    source: LibrarySource,
    constants: Constants,
) -> VariantFunctions:
    """Write the functions of a variant, and add its constants."""
    spec, name = variant.spec, f"run.{number}"
    groups = [group for segment in spec.segments for group in segment.groups]
    calls = finish(write_run(shared, name, groups, spec.table, len(spec.prepacked), spec.slot))
    read = {slot for call in calls for slot in call.slots}
    returned = {index for index, copied in spec.call.returned if copied}
    values = [source.values.get(node) for node in spec.inputs]
    slots = {
        slot: constants.offset_of(value)
        for slot, value in prepacked_values(variant, values, shared.module.target).items()
        if slot in read
    }
    weights: dict[int, int] = {}
    for index, (slot, value) in enumerate(zip(spec.call.inputs, values, strict=True)):
        if value is not None and (slot in read or index in returned):
            weights[index] = slots[slot] = constants.offset_of(value)
    code = ContextCode(shared.module, layout, number, variant, slots)
    return VariantFunctions(
        code.write_holds(), code.write_bind(), code.write_place(), name, weights
    )


def _ports(source: LibrarySource, variants: Sequence[Variant]) -> tuple[list[Port], list[Port]]:
    """The inputs that some code reads, which labels are not, and the outputs."""
    variant, taken = variants[0], {"context", "batch"}
    spec = variant.spec

    def port(index: int, title: str, shape: Sequence[int], dtype: Any) -> Port:
        name = _identifier(title)
        while name in taken:
            name += "_"
        taken.add(name)
        return Port(index, name, title, tuple(shape), dtype)

    positions = {node: index for index, node in enumerate(spec.inputs)}
    unread = frozenset.intersection(*(frozenset(v.spec.call.unread_inputs) for v in variants))
    inputs = [
        port(positions[node], node.name, variant.inputs[positions[node]], dtype)
        for node, (_, dtype) in source.shapes.items()
        if positions[node] not in unread
    ]
    shapes = [*variant.inputs, *variant.results]
    kinds = [spec.facts.dtypes.get(e, None) for e in spec.input_entries]
    dtypes = [*kinds, *(dtype for _, dtype in spec.call.results)]
    outputs = [
        port(index, title, shapes[which], dtypes[which])
        for index, (title, (which, _)) in enumerate(
            zip(source.names, spec.call.returned, strict=True)
        )
    ]
    return inputs, outputs


def _hide(module: LLVMModule, names: Collection[str]) -> None:
    """Let only some functions be seen from outside."""
    for name, text in module.definitions.items():
        if name not in names:
            module.definitions[name] = re.sub(r"^define (?!internal )", "define internal ", text)


def _check_size(weights: LibraryWeights) -> None:
    if not weights.beside and weights.size > _MOST_INSIDE:
        raise LibraryError(
            describe(
                f"{weights.size:,} bytes of weights are too many for the library itself",
                where="export_library",
                hint='weights="beside"',
            )
        )


def _check_names(image: bytes, module: LLVMModule) -> None:
    """Check that nothing is needed but the C library."""
    unknown = {*undefined_names(image)} - {*IMPLICIT, *module.imports}
    assert not unknown, f"the library would need {', '.join(sorted(unknown))}"


def _identifier(name: str) -> str:
    """A name as an identifier of C."""
    found = _UNFIT.sub("_", name)
    return found if re.match("[A-Za-z_]", found) else f"_{found}"
