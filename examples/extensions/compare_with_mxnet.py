"""Load the example libraries in gluonic and in MXNet 1.9 and compare all results.

make -C lib_custom_op && make -C lib_subgraph && make -C lib_pass
python compare_with_mxnet.py /path/to/python-with-mxnet
"""

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
LIBRARIES = (
    "lib_custom_op/libgemm_lib.so",
    "lib_custom_op/librelu_lib.so",
    "lib_custom_op/libtranspose_lib.so",
    "lib_subgraph/libsubgraph_lib.so",
    "lib_pass/libpass_lib.so",
)


def eager(mx: Any, operator: str, *inputs: np.ndarray, **attributes: Any) -> list[Any]:
    """Run an operator on arrays; returns the result and the gradients of the inputs."""
    arrays = [mx.nd.array(x, dtype=x.dtype) for x in inputs]
    for array in arrays:
        array.attach_grad()
    with mx.autograd.record():
        result = getattr(mx.nd, operator)(*arrays, **attributes)
    result.backward()
    return [result, *(array.grad for array in arrays)]


def bound(mx: Any, operator: str, *inputs: np.ndarray, **attributes: Any) -> list[Any]:
    """Run an operator in an executor; returns the result and the gradients of the inputs."""
    args = {f"x{i}": mx.nd.array(x, dtype=x.dtype) for i, x in enumerate(inputs)}
    gradients = {name: mx.nd.zeros(x.shape, dtype=x.dtype) for name, x in args.items()}
    symbol = getattr(mx.sym, operator)(*map(mx.sym.var, args), **attributes)
    executor = symbol.bind(mx.cpu(), args, args_grad=gradients)
    result = executor.forward(is_train=True)[0]
    executor.backward(mx.nd.ones(result.shape, dtype=result.dtype))
    return [result, *gradients.values()]


def optimized(mx: Any, backends: Sequence[str], **options: Any) -> list[Any]:
    """Compute a symbol's outputs after backends have worked on it, one after the other."""
    a, b = mx.sym.var("a"), mx.sym.var("b")
    symbol = mx.sym.Group([mx.sym.log(mx.sym.exp(a + b)) * a + mx.sym.sin(b), mx.sym.exp(b) * a])
    generator = np.random.RandomState(1)
    args = {n: mx.nd.array(generator.rand(3, 2)) for n in "ab"}
    for backend in backends:
        symbol = symbol.optimize_for(backend, args, {}, **options)
    outputs: list[Any] = symbol.bind(mx.cpu(), args, grad_req="null").forward()
    return outputs


def results(mx: Any) -> dict[str, Any]:
    """Run everything; returns named NumPy arrays."""
    generator = np.random.RandomState(0)
    a, b = (generator.rand(*shape).astype("float32") for shape in ((5, 3), (3, 4)))
    signed = generator.randn(6, 7)
    found = {}
    for name in ("my_gemm", "state_gemm"):
        found[name] = eager(mx, name, a, b)
        found[name + " bound"] = bound(mx, name, a, b)
    for dtype in ("float32", "float64"):
        found["my_relu " + dtype] = eager(mx, "my_relu", signed.astype(dtype))
    for kind, name in {"csr": "my_transposecsr", "row_sparse": "my_transposerowsp"}.items():
        sparse = mx.nd.array(np.maximum(signed, 0)).tostype(kind)
        found[name] = [getattr(mx.nd, name)(sparse)]
    mx.random.seed(42)
    noisy = [mx.nd.my_noisy_relu(mx.nd.array(signed), sigma=0.5) for _ in range(2)]
    found["my_noisy_relu"] = noisy
    for backends in ([], ["elementwise"], ["chains"], ["cancelExpLog"], ["cancelExpLog", "chains"]):
        found[" then ".join(backends) or "regular"] = optimized(mx, backends)
    found["addShift"] = optimized(mx, ["addShift"], shift=0.25)
    found["dedup"] = optimized(mx, ["elementwise"], dedup_subgraph=True)
    return {f"{k}[{i}]": x.asnumpy() for k, arrays in found.items() for i, x in enumerate(arrays)}


def work(module: str, target: str) -> None:
    """Run everything with one of the two packages and save it."""
    mx = importlib.import_module(module)
    for library in LIBRARIES:
        mx.library.load(str(HERE / library))
    np.savez(target, **results(mx))


def compare(python: str) -> None:
    """Run everything with both packages and compare."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for interpreter, module in ((sys.executable, "gluonic"), (python, "mxnet")):
            target = str(Path(folder) / (module + ".npz"))
            subprocess.run(
                [interpreter, __file__, module, target], check=True, stdout=subprocess.DEVNULL
            )
            with np.load(target) as saved:
                found.append(dict(saved))
    ours, theirs = found
    assert ours.keys() == theirs.keys()
    for name in ours:
        difference = np.abs(ours[name] - theirs[name]).max()
        print(
            f"{name:32} {ours[name].shape!s:10} {ours[name].dtype!s:8} difference {difference:.1e}"
        )
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-7)
    print("the same numbers in gluonic and in MXNet")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        compare(sys.argv[1])
    elif len(sys.argv) == 3:
        work(sys.argv[1], sys.argv[2])
    else:
        sys.exit(__doc__)
