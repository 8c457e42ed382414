"""The functions that programs call, as LLVM's text; the header declares and explains them."""

from collections.abc import Callable, Sequence
from enum import IntEnum

from gluonic.codegen.library.context import (
    ARENA,
    BAILED_OUT,
    BATCH,
    CAPACITY,
    NEEDED,
    VARIANT,
    WEIGHTS,
    ContextLayout,
)
from gluonic.codegen.library.extents import ExtentsCode
from gluonic.codegen.library.ports import Port
from gluonic.codegen.library.variant import Variant
from gluonic.codegen.library.weights import DIGEST_BYTES, HEAD_BYTES, LibraryWeights
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


class Status(IntEnum):
    """What functions of a library return."""

    OK = 0
    NULL_POINTER = 1
    BATCH_SIZE = 2
    NO_MEMORY = 3
    VALUE = 4
    WEIGHTS = 5
    NO_SUCH_ARRAY = 6


KINDS = "version", "create", "free", "input_elements", "output_elements", "run"
"""The functions that programs call, by the ends of their names."""


@record
class VariantFunctions:
    """The names of a variant's functions, and where calls find constants.

    Attributes
    ----------
    holds, bind, place, run : the names
    weights : for each input that is a constant, its offset in bytes, by its index
    """

    holds: str
    bind: str
    place: str
    run: str
    weights: dict[int, int]


class Interface:
    """Writes the functions.

    Parameters
    ----------
    module : the module, which has the variants' runs
    prefix : what the names of functions begin with
    variants : the machine code
    functions : for each variant, the names of its functions
    layout : of contexts
    weights : the constants
    inputs, outputs : the arrays of a call
    most : the largest batch size
    version : a text
    """

    def __init__(
        self,
        module: LLVMModule,
        prefix: str,
        variants: Sequence[Variant],
        functions: Sequence[VariantFunctions],
        layout: ContextLayout,
        weights: LibraryWeights,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
        most: int,
        version: str,
    ) -> None:
        self.module, self.prefix, self.layout, self.weights = module, prefix, layout, weights
        self.variants, self.functions, self.most = variants, functions, most
        self.inputs, self.outputs, self.version = inputs, outputs, version

    def write(self) -> list[str]:
        """Write all functions; return the names of those that programs call."""
        self._write_find()
        for number in range(len(self.variants)):
            self._write_call(number)
        self._write_version()
        if self.weights.beside:
            self._write_open()
        self._write_create()
        self._write_free()
        self._write_elements(
            "input", self.inputs, lambda v: [v.inputs[p.index] for p in self.inputs]
        )
        self._write_elements("output", self.outputs, self._output_shapes)
        self._write_run()
        return [f"{self.prefix}_{kind}" for kind in KINDS]

    def _function(self, name: str, arguments: Sequence[str], result: str) -> LLVMFunction:
        return LLVMFunction(self.module, f"{self.prefix}_{name}", arguments, result=result)

    def _c_function(
        self, f: LLVMFunction, name: str, result: str, *arguments: tuple[str, str | int]
    ) -> str:
        """Call a function of the C library."""
        self.module.import_function(name, result, [kind for kind, _ in arguments])
        return f.call(name, result, [(kind, str(value)) for kind, value in arguments])

    def _if_variant(self, f: LLVMFunction, number: str, work: Callable[[int], None]) -> None:
        """Write, for each variant, what is done if it is the one with a number."""
        for index in range(len(self.variants)):
            with f.when(f.compare("eq", number, index)):
                work(index)

    def _write_find(self) -> None:
        """Write ``i64 find(i64 batch)``: the index of the variant that serves a batch size, or -1."""
        f = LLVMFunction(self.module, "find", ["i64 %batch"], internal=True, result="i64")
        f.leave(f.compare("slt", "%batch", 1), -1)
        f.leave(f.compare("sgt", "%batch", self.most), -1)
        for number, functions in enumerate(self.functions):
            f.leave(f.call(functions.holds, "i1", [("i64", "%batch")]), number)
        f.finish(-1)

    def _write_version(self) -> None:
        text = self.version.encode() + b"\0"
        listed = "".join(f"\\{byte:02X}" for byte in text)
        name = "version.text"
        self.module.definitions[name] = (
            f'@{name} = internal constant [{len(text)} x i8] c"{listed}"'
        )
        self._function("version", [], "ptr").finish(f"@{name}")

    def _write_create(self) -> None:
        arguments = ["ptr %context", *(["ptr %file"] if self.weights.beside else [])]
        f = self._function("create", arguments, "i32")
        for argument in arguments:
            f.leave(
                f.compare("eq", argument.removeprefix("ptr "), "null", "ptr"), Status.NULL_POINTER
            )
        weights = f"@{self.weights.symbol}" if self.weights.size else "null"
        if self.weights.beside:
            weights = f.call("open_weights", "ptr", [("ptr", "%file")])
            f.leave(f.compare("eq", weights, "null", "ptr"), Status.WEIGHTS)
        block = self._c_function(f, "malloc", "ptr", ("i64", self.layout.size))
        f.leave(f.compare("eq", block, "null", "ptr"), Status.NO_MEMORY)
        self._clear(f, block, self.layout.size)
        f.store("ptr", weights, f.offset(block, WEIGHTS))
        f.store("ptr", block, "%context")
        f.finish(Status.OK)

    def _clear(self, f: LLVMFunction, address: str, size: int) -> None:
        fill = self.module.declare("llvm.memset.p0.i64", "void", ["ptr", "i8", "i64", "i1"])
        f.run(fill, ("ptr", address), ("i8", 0), ("i64", size), ("i1", "false"))

    def _write_open(self) -> None:
        """Write ``ptr open_weights(ptr file)``: the address of the weights in a file, or null."""
        f = LLVMFunction(self.module, "open_weights", ["ptr %file"], internal=True, result="ptr")
        self.module.import_function("open", "i32", ["ptr", "i32", "..."])
        file = f.op("call i32 (ptr, i32, ...) @open(ptr %file, i32 0)")
        f.leave(f.compare("slt", file, 0, "i32"), "null")
        size = self._c_function(f, "lseek", "i64", ("i32", file), ("i64", 0), ("i32", 2))
        whole = HEAD_BYTES + self.weights.size
        fits = f.compare("eq", size, whole)
        length = f.select(fits, size, 1)
        place = self._c_function(
            f, "mmap", "ptr",
            ("ptr", "null"), ("i64", length), ("i32", 1), ("i32", 2), ("i32", file), ("i64", 0),
        )  # fmt: skip
        self._c_function(f, "close", "i32", ("i32", file))
        f.leave(f.compare("eq", place, "inttoptr (i64 -1 to ptr)", "ptr"), "null")
        wrong = f.slot("i64", 8)
        f.store("i64", 1, wrong)
        listed = [f"i8 {byte}" for byte in self.weights.digest]
        digest = self.module.constant("weights.digest", "i8", listed)
        with f.when(fits):
            differs = self._c_function(
                f, "memcmp", "i32", ("ptr", place), ("ptr", digest), ("i64", DIGEST_BYTES)
            )
            f.store("i64", f.widened(differs), wrong)
        is_wrong = f.compare("ne", f.load("i64", wrong), 0)
        with f.when(is_wrong):
            self._c_function(f, "munmap", "i32", ("ptr", place), ("i64", length))
        f.leave(is_wrong, "null")
        f.finish(f.offset(place, HEAD_BYTES))

    def _write_free(self) -> None:
        f = self._function("free", ["ptr %context"], "void")
        with f.when(f.compare("ne", "%context", "null", "ptr")):
            self.module.import_function("free", "void", ["ptr"])
            if self.weights.beside:
                weights = f.offset(f.load("ptr", f.offset("%context", WEIGHTS)), -HEAD_BYTES)
                whole = ("i64", HEAD_BYTES + self.weights.size)
                self._c_function(f, "munmap", "i32", ("ptr", weights), whole)
            f.run("@free", ("ptr", f.load("ptr", f.offset("%context", ARENA))))
            f.run("@free", ("ptr", "%context"))
        f.finish()

    def _output_shapes(self, variant: Variant) -> list[Shape]:
        call = variant.spec.call
        arrays = [*variant.inputs, *variant.results]
        return [arrays[call.returned[port.index][0]] for port in self.outputs]

    def _write_elements(
        self, kind: str, ports: Sequence[Port], shapes: Callable[[Variant], list[Shape]]
    ) -> None:
        """Write the function that returns the number of elements of an input or an output."""
        f = self._function(f"{kind}_elements", ["i32 %index", "i64 %batch"], "i64")
        below = f.compare("slt", "%index", 0, "i32")
        f.leave(below, -Status.NO_SUCH_ARRAY)
        f.leave(f.compare("sge", "%index", len(ports), "i32"), -Status.NO_SUCH_ARRAY)
        variant = f.call("find", "i64", [("i64", "%batch")])
        f.leave(f.compare("slt", variant, 0), -Status.BATCH_SIZE)
        result = f.slot("i64", 8)
        f.store("i64", 0, result)
        for number, each in enumerate(self.variants):
            with f.when(f.compare("eq", variant, number)):
                code = ExtentsCode(f, each.env, "%batch")
                for index, shape in enumerate(shapes(each)):
                    with f.when(f.compare("eq", "%index", index, "i32")):
                        f.store("i64", code.product([code.value(x) for x in (1, *shape)]), result)
        f.finish(f.load("i64", result))

    def _write_call(self, number: int) -> None:
        """Write ``void call(ptr context, i64 batch, ptr inputs, ptr outputs)`` of a variant."""
        arguments = ["ptr %context", "i64 %batch", "ptr %inputs", "ptr %outputs"]
        f = LLVMFunction(self.module, f"call.{number}", arguments, internal=True)
        variant, functions = self.variants[number], self.functions[number]
        call = variant.spec.call
        slots = f.offset("%context", self.layout.slots)
        inputs = {
            port.index: f.load("ptr", f.offset("%inputs", place, "ptr"))
            for place, port in enumerate(self.inputs)
        }
        outputs = [f.load("ptr", f.offset("%outputs", port.index, "ptr")) for port in self.outputs]
        for index, address in inputs.items():
            f.store("ptr", address, f.offset(slots, call.inputs[index], "ptr"))
        for (slot, _), position in zip(call.results, call.positions, strict=True):
            assert slot is not None
            f.store("ptr", outputs[position], f.offset(slots, slot, "ptr"))
        table = f.offset("%context", self.layout.table)
        f.run(f"@{functions.run}", ("ptr", slots), ("ptr", table))
        code = ExtentsCode(f, variant.env, "%batch")
        shapes = self._output_shapes(variant)
        for port, (source, copied) in zip(self.outputs, call.returned, strict=True):
            if not copied:
                continue
            if source >= len(call.inputs):
                address = outputs[call.positions[source - len(call.inputs)]]
            elif source in inputs:
                address = inputs[source]
            else:
                base = f.load("ptr", f.offset("%context", WEIGHTS))
                address = f.offset(base, functions.weights[source])
            sizes = (port.dtype.itemsize, *shapes[port.index])
            f.copy(outputs[port.index], address, code.product([code.value(x) for x in sizes]))
        f.finish()

    def _write_run(self) -> None:
        pointers = [f"%input{n}" for n in range(len(self.inputs))]
        pointers += [f"%output{n}" for n in range(len(self.outputs))]
        arguments = ["ptr %context", "i64 %batch", *(f"ptr {name}" for name in pointers)]
        f = self._function("run", arguments, "i32")
        for pointer in ("%context", *pointers):
            f.leave(f.compare("eq", pointer, "null", "ptr"), Status.NULL_POINTER)
        f.leave(f.compare("slt", "%batch", 1), Status.BATCH_SIZE)  # 0 is that of a new context
        with f.when(f.compare("ne", f.load("i64", f.offset("%context", BATCH)), "%batch")):
            self._bind(f)
        f.store("i64", 0, f.offset("%context", BAILED_OUT))
        variant = f.load("i64", f.offset("%context", VARIANT))
        lists = []
        for names in (pointers[: len(self.inputs)], pointers[len(self.inputs) :]):
            lists.append(f.slot(f"[{max(len(names), 1)} x ptr]", 8))
            for number, name in enumerate(names):
                f.store("ptr", name, f.offset(lists[-1], number, "ptr"))
        given = ("ptr", "%context"), ("i64", "%batch"), *(("ptr", each) for each in lists)
        self._if_variant(f, variant, lambda number: f.run(f"@call.{number}", *given))
        bailed_out = f.compare("ne", f.load("i64", f.offset("%context", BAILED_OUT)), 0)
        f.finish(f.select(bailed_out, Status.VALUE, Status.OK, "i32"))

    def _bind(self, f: LLVMFunction) -> None:
        """Write what a context needs before the first call with another batch size."""
        variant = f.call("find", "i64", [("i64", "%batch")])
        f.leave(f.compare("slt", variant, 0), Status.BATCH_SIZE)
        f.store("i64", 0, f.offset("%context", BATCH))
        given = ("ptr", "%context"), ("i64", "%batch")
        self._if_variant(f, variant, lambda k: f.run(f"@{self.functions[k].bind}", *given))
        needed = f.load("i64", f.offset("%context", NEEDED))
        arena, capacity = f.offset("%context", ARENA), f.offset("%context", CAPACITY)
        with f.when(f.compare("sgt", needed, f.load("i64", capacity))):
            f.run("@free", ("ptr", f.load("ptr", arena)))
            f.store("ptr", "null", arena)
            f.store("i64", 0, capacity)
            sizes = ("i64", ALIGNMENT), ("i64", needed)
            block = self._c_function(f, "aligned_alloc", "ptr", *sizes)
            f.leave(f.compare("eq", block, "null", "ptr"), Status.NO_MEMORY)
            f.store("ptr", block, arena)
            f.store("i64", needed, capacity)
        self._if_variant(f, variant, lambda k: f.run(f"@{self.functions[k].place}", given[0]))
        f.store("i64", variant, f.offset("%context", VARIANT))
        f.store("i64", "%batch", f.offset("%context", BATCH))
