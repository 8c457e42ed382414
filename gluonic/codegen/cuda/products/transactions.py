"""Instructions that copy boxes of matrices to shared memory, and barriers that count bytes."""

from __future__ import annotations

from gluonic.codegen.cuda.block_code import SHARED, BlockCode, Int


class TransactionCode(BlockCode):
    """A kernel that the GPU copies boxes of matrices for, as its last parameters describe them."""

    def tensor(self, number: int) -> str:
        """The address of one of the descriptions of matrices, which are the last parameters."""
        name = f"{self.name}_param_{self._first_tensor + number}"
        return self.assembly(f"mov.b64 $0, {name}; cvta.param.u64 $0, $0;", "i64", "=l")

    def shared_address(self, array: str, *distances: Int) -> Int:
        """The address in shared memory of what is some distances, in bytes, from an array's start."""
        return self.add32(self.cast("ptrtoint", array, SHARED, "i32"), *distances)

    def copy_box(self, target: Int, tensor: str, column: Int, row: Int, barrier: Int) -> None:
        """Let a box of a matrix be copied to shared memory; a barrier waits for its bytes."""
        self.assembly(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[$0], [$1, {$2, $3}], [$4];",
            "void",
            "r,l,r,r,r",
            f"i32 {target}, i64 {tensor}, i32 {column}, i32 {row}, i32 {barrier}",
        )

    def begin_transactions(self, barrier: Int, threads: int) -> None:
        """Begin to use a barrier, 8 bytes of shared memory, at which so many threads arrive in a phase."""
        self.assembly(
            f"mbarrier.init.shared::cta.b64 [$0], {threads};", "void", "r", f"i32 {barrier}"
        )

    def announce_transactions(self) -> None:
        """Let the copies see the barriers that the thread has begun to use."""
        self.assembly("fence.mbarrier_init.release.cluster;")

    def arrive_if(self, condition: str, barrier: Int) -> None:
        """Arrive at a barrier where a condition holds, without parting the threads of a warp."""
        number = self.cast("zext", condition, "i1", "i32")
        text = "setp.ne.b32 p, $1, 0; @p mbarrier.arrive.shared::cta.b64 _, [$0];"
        operands = f"i32 {barrier}, i32 {number}"
        self.assembly(f"{{ .reg .pred p; {text} }}", "void", "r,r", operands)

    def arrive_for(self, size: int, barrier: Int) -> None:
        """Arrive at a barrier, and let it wait for so many bytes."""
        text = f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], {size};"
        self.assembly(text, "void", "r", f"i32 {barrier}")

    def await_phase(self, barrier: Int, parity: Int) -> None:
        """Wait until a barrier's phase with this parity, 0 for the first, is over."""
        loop = self.begin_loop([("i32", 0)])
        text = "mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2; selp.u32 $0, 1, 0, p;"
        operands = f"i32 {barrier}, i32 {parity}"
        past = self.assembly(f"{{ .reg .pred p; {text} }}", "i32", "=r,r,r", operands)
        self.end_loop(loop, [0], self.same(past, 0), unrolls=False)
