"""The call of BLAS for a matrix product, in steps that also have other loops."""

from gluonic.codegen.maths.values import Dtype, literal
from gluonic.codegen.matmul.blas import gemm
from gluonic.codegen.writers.element_writer import ElementWriter


def call_gemm(
    w: ElementWriter,
    dtype: Dtype,
    a: tuple[str, str, bool],
    b: tuple[str, str, bool],
    c: tuple[str, str],
    extents: tuple[str, str, str],
    beta: float,
) -> None:
    """Write the call of BLAS for row-major matrices."""
    function = gemm(dtype)
    assert function is not None
    integer = function.integer

    def whole(number: str) -> tuple[str, str]:
        return integer, number if integer == "i64" else w.f.narrowed(number)

    def lead(number: str) -> tuple[str, str]:
        return whole(w.most(number, 1))

    arguments = [
        ("i32", "101"),
        *(("i32", "112" if transposed else "111") for _, _, transposed in (a, b)),
        *(whole(extent) for extent in extents),
        (w.kind, literal(1.0, dtype)),
        *(("ptr", a[0]), lead(a[1]), ("ptr", b[0]), lead(b[1])),
        (w.kind, literal(beta, dtype)),
        *(("ptr", c[0]), lead(c[1])),
    ]
    w.f.module.extern(function.symbol, function.address, [kind for kind, _ in arguments])
    w.f.run(f"@{function.symbol}", *arguments)
