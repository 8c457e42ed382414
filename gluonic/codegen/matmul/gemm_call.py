"""The product of matrices as a call: of BLAS, or of a function of the module itself."""

from gluonic.codegen.machine.assembler import LLVMFunction
from gluonic.codegen.maths.values import Dtype, literal, scalar_type
from gluonic.codegen.matmul.blas import gemm
from gluonic.codegen.matmul.own_gemm import own_gemm


def call_gemm(
    f: LLVMFunction,
    dtype: Dtype,
    a: tuple[str, str, bool],
    b: tuple[str, str, bool],
    c: tuple[str, str],
    extents: tuple[str, str, str],
    *,
    adds: bool,
) -> None:
    """Write ``c = a · b`` or ``c += a · b`` for row-major matrices.

    Parameters
    ----------
    a, b : a factor's address, leading dimension in elements, and whether it is transposed in memory
    c : address and leading dimension of the result
    extents : its rows, its columns, and the inner dimension
    """
    if not f.module.target.has_blas:
        name = own_gemm(f.module, dtype, a[2], b[2])
        numbers = [("i64", number) for number in (a[1], b[1], c[1], *extents)]
        pointers = [("ptr", pointer) for pointer in (a[0], b[0], c[0])]
        f.run(f"@{name}", *pointers, *numbers, ("i1", "false" if adds else "true"))
        return
    function = gemm(dtype)
    assert function is not None
    integer, kind = function.integer, scalar_type(dtype)

    def whole(number: str) -> tuple[str, str]:
        return integer, number if integer == "i64" else f.narrowed(number)

    def lead(number: str) -> tuple[str, str]:
        return whole(f.most(number, 1))

    arguments = [
        ("i32", "101"),
        *(("i32", "112" if transposed else "111") for _, _, transposed in (a, b)),
        *(whole(extent) for extent in extents),
        (kind, literal(1.0, dtype)),
        *(("ptr", a[0]), lead(a[1]), ("ptr", b[0]), lead(b[1])),
        (kind, literal(1.0 if adds else 0.0, dtype)),
        *(("ptr", c[0]), lead(c[1])),
    ]
    f.module.extern(function.symbol, function.address, [kind for kind, _ in arguments])
    f.run(f"@{function.symbol}", *arguments)
