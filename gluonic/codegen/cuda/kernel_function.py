"""The function of a kernel that a GPU launches: its parameters, its threads, what they exchange."""

from __future__ import annotations

from collections.abc import Callable

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.device.tensor_maps import WORDS

WARP = 32
"""The threads of a warp, which run together and read each other's registers."""


class KernelFunction(LLVMFunction):
    """A kernel; its parameters are addresses and then numbers, all of 64 bits, and descriptions of matrices.

    Parameters
    ----------
    module, name : see `LLVMFunction`
    operands, numbers : how many addresses and numbers it gets
    threads : of a block
    tensors : how many descriptions of matrices it gets

    Attributes
    ----------
    operands : the addresses, as generic pointers
    numbers : the numbers, as ``i64``
    threads : the same
    """

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        operands: int,
        numbers: int,
        threads: int,
        tensors: int = 0,
    ) -> None:
        arguments = [f"ptr addrspace(1) %p{k}" for k in range(operands)]
        arguments += [f"i64 %n{k}" for k in range(numbers)]
        described = f"ptr byval([{WORDS} x i64]) align 64"
        arguments += [f"{described} %tensor{k}" for k in range(tensors)]
        self._first_tensor = operands + numbers
        super().__init__(module, name, arguments, threads=threads)
        self.threads, self._shared = threads, 0
        self.operands = [self._generic(f"%p{k}", 1) for k in range(operands)]
        self.numbers = [f"%n{k}" for k in range(numbers)]

    def _generic(self, address: str, space: int) -> str:
        """An address in one of the memories as a pointer of the plain type."""
        return self.cast("addrspacecast", address, f"ptr addrspace({space})", "ptr")

    def pointer(self, address: str) -> str:
        """An ``i64`` that is an address in the device's memory, as a generic pointer."""
        return self._generic(self.cast("inttoptr", address, "i64", "ptr addrspace(1)"), 1)

    def special(self, register: str) -> str:
        """A special register, such as ``tid.x`` or ``ctaid.y``, as ``i32``."""
        return self.call(f"llvm.nvvm.read.ptx.sreg.{register}", "i32", [])

    def flat_thread(self, block: int, kind: str) -> str:
        """The number of the thread if those of consecutive blocks begin `block` apart, ``i32`` or ``i64``."""
        thread, number = self.special("tid.x"), self.special("ctaid.x")
        if kind == "i64":
            thread, number = self.widened(thread), self.widened(number)
        return self.add(self.mul(number, block, kind), thread, kind)

    def clear_atomically(self, address: str) -> None:
        """Let an ``i32`` be 0, which several threads may do at once."""
        self.do(f"atomicrmw and ptr {address}, i32 0 monotonic")

    def barrier(self) -> None:
        """Wait for all threads of the block, which see each other's writes then."""
        self.call_for_effect("llvm.nvvm.barrier0", [])

    def shared(self, size: int) -> str:
        """Shared memory of the block, of `size` bytes, as a generic pointer."""
        self._shared += 1
        name = f"{self.name}_shared{self._shared}"
        self.module.definitions[name] = (
            f"@{name} = internal addrspace(3) global [{size} x i8] undef, align 16"
        )
        return self._generic(f"@{name}", 3)

    def exchanged(self, kind: str, ref: str, distance: int) -> str:
        """The value of the thread of the warp whose number differs in the bit `distance`.

        All threads of the warp must take part.
        """
        suffix = {"float": "f32", "i32": "i32"}.get(kind)
        if suffix is None:
            return self._in_words(kind, ref, lambda word: self.exchanged("i32", word, distance))
        every = ("i32", "-1")
        numbers = [("i32", str(distance)), ("i32", str(WARP - 1))]
        return self.call(f"llvm.nvvm.shfl.sync.bfly.{suffix}", kind, [every, (kind, ref), *numbers])

    def _in_words(self, kind: str, ref: str, change: Callable[[str], str]) -> str:
        """Apply a function of words of 32 bits to a value."""
        bits = {"double": 64, "half": 16, "bfloat": 16}.get(kind) or int(kind[1:])
        integer = f"i{bits}"
        whole = ref if kind == integer else self.cast("bitcast", ref, kind, integer)
        if bits < 32:
            moved = change(self.cast("zext", whole, integer, "i32"))
            result = self.cast("trunc", moved, "i32", integer)
        else:
            words = [self.narrowed(whole), self.narrowed(self.binary("lshr", whole, 32))]
            low, high = [self.cast("zext", change(word), "i32", "i64") for word in words]
            result = self.binary("or", low, self.binary("shl", high, 32))
        return result if kind == integer else self.cast("bitcast", result, integer, kind)
