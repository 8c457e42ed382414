"""Products where BLAS cannot be called."""

import ctypes
from itertools import product
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import load
from gluonic.codegen.machine.target import host, without_blas
from gluonic.codegen.matmul.gemm_call import call_gemm

EXTENTS = [(1, 1, 1), (1, 40, 300), (7, 3, 5), (6, 16, 256), (50, 33, 257), (3, 70, 600), (4, 5, 0)]
NAMES = "a", "lead_a", "b", "lead_b", "c", "lead_c", "rows", "columns", "inner"


def compiled(dtype: str, transposed_a: bool, transposed_b: bool, adds: bool) -> Any:
    """The product as a function of `NAMES`."""
    module = LLVMModule(without_blas(host()))
    kinds = ["ptr" if name in "abc" else "i64" for name in NAMES]
    listed = [f"{kind} %{name}" for kind, name in zip(kinds, NAMES, strict=True)]
    f = LLVMFunction(module, "multiply", listed)
    call_gemm(
        f,
        np.dtype(dtype),
        ("%a", "%lead_a", transposed_a),
        ("%b", "%lead_b", transposed_b),
        ("%c", "%lead_c"),
        ("%rows", "%columns", "%inner"),
        adds=adds,
    )
    f.finish()
    assert not module.symbols
    library = load(module.text(), ["multiply"], tuple(module.imports), module.target)
    types = [ctypes.c_void_p if kind == "ptr" else ctypes.c_int64 for kind in kinds]
    return library, ctypes.CFUNCTYPE(None, *types)(library["multiply"])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("transposed_a", "transposed_b", "adds"), [*product([False, True], repeat=3)]
)
def test_products_are_those_of_numpy(
    dtype: str, transposed_a: bool, transposed_b: bool, adds: bool
) -> None:
    kept, multiply = compiled(dtype, transposed_a, transposed_b, adds)
    random = np.random.RandomState(0)
    for rows, columns, inner in EXTENTS:
        shapes = [(rows, inner), (inner, columns), (rows, columns)]
        turned = transposed_a, transposed_b, False
        pairs = zip(shapes, turned, strict=True)
        held = [(s[1], s[0] + 3) if t else (s[0], s[1] + 2) for s, t in pairs]
        a, b, c = (random.randn(*shape).astype(dtype) for shape in held)
        left = (a.T if transposed_a else a)[:rows, :inner]
        right = (b.T if transposed_b else b)[:inner, :columns]
        wanted = c.copy()
        wanted[:, :columns] = left @ right + (c[:, :columns] if adds else 0)
        numbers = [(x.ctypes.data, x.shape[1]) for x in (a, b, c)]
        multiply(*(n for pair in numbers for n in pair), rows, columns, inner)
        assert np.allclose(c, wanted, rtol=1e-4, atol=1e-4 if dtype == "float32" else 1e-10)
        assert (c[:, columns:] == wanted[:, columns:]).all()
    assert kept
