"""Load libtranspose_lib.so and run its operators on sparse arrays and in graphs.

make transpose_lib && python test_transpose.py
"""

import gluonic as mx

mx.library.load("libtranspose_lib.so")

x = mx.nd.array([[1, 3, 0, 2, 1], [0, 1, 0, 0, 0], [0, 2, 4, 5, 3]])


def show(array: mx.nd.NDArray) -> None:
    """Print what is stored."""
    for part in ("data", "indices", "indptr"):
        if hasattr(array, part):
            print(f"{part}:", getattr(array, part).asnumpy())


for kind, name in {"csr": "transposecsr", "row_sparse": "transposerowsp"}.items():
    given = x.tostype(kind)
    print(f"--------{kind}---------")
    show(given)
    print("--------start ndarray compute---------")
    found = [
        getattr(mx.nd, f"my_{name}")(given),
        getattr(mx.nd, f"my_state_{name}")(given, test_kw=100),
    ]
    show(found[0])
    print("--------start symbolic compute--------")
    d = mx.sym.Variable("d")
    for symbol in (getattr(mx.sym, f"my_{name}")(d), getattr(mx.sym, f"my_state_{name}")(d)):
        executor = symbol.bind(mx.cpu(), args={"d": given})
        executor.forward()
        found += executor.forward()  # once more: a state counts
    for result in found:
        assert result.stype == kind
        assert (result.asnumpy() == x.asnumpy().T).all()
