"""Access to some lanes of a vector: LLVM's masked loads and stores, gathers and scatters.

The alignment, in bytes, is an argument here. LLVM 22 writes it as an attribute, but reads the older
form as well; LLVM 20 reads nothing else.
"""

from gluonic.codegen.machine.assembler import LLVMFunction, type_suffix


def masked_load(
    f: LLVMFunction, kind: str, address: str, align: int, mask: str, other: str = "zeroinitializer"
) -> str:
    """Load the lanes of a vector that `mask` selects; the other lanes come from `other`."""
    pointer, bits = ("ptr", address), (_mask_type(kind), mask)
    return f.call(
        f"llvm.masked.load.{type_suffix(kind)}.p0",
        kind,
        [pointer, _align(align), bits, (kind, other)],
    )


def masked_store(f: LLVMFunction, kind: str, ref: str, address: str, align: int, mask: str) -> None:
    """Store the lanes of a vector that `mask` selects."""
    pointer, bits = ("ptr", address), (_mask_type(kind), mask)
    f.call_for_effect(
        f"llvm.masked.store.{type_suffix(kind)}.p0", [(kind, ref), pointer, _align(align), bits]
    )


def gather(f: LLVMFunction, kind: str, pointers: str, align: int, mask: str) -> str:
    """Load each lane from its own address; the lanes that `mask` does not select are zero."""
    addresses, bits = (_pointers_type(kind), pointers), (_mask_type(kind), mask)
    return f.call(
        f"llvm.masked.gather.{type_suffix(kind)}.v{_count(kind)}p0",
        kind,
        [addresses, _align(align), bits, (kind, "zeroinitializer")],
    )


def scatter(f: LLVMFunction, kind: str, ref: str, pointers: str, align: int, mask: str) -> None:
    """Store each lane that `mask` selects to its own address."""
    addresses, bits = (_pointers_type(kind), pointers), (_mask_type(kind), mask)
    f.call_for_effect(
        f"llvm.masked.scatter.{type_suffix(kind)}.v{_count(kind)}p0",
        [(kind, ref), addresses, _align(align), bits],
    )


def _align(size: int) -> tuple[str, str]:
    return "i32", str(size)


def _mask_type(kind: str) -> str:
    return f"<{_count(kind)} x i1>"


def _pointers_type(kind: str) -> str:
    return f"<{_count(kind)} x ptr>"


def _count(kind: str) -> str:
    """Return the number of elements in a vector type such as ``<16 x float>``."""
    return kind.strip("<>").partition(" x ")[0]
