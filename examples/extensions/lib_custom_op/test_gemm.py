"""Load libgemm_lib.so and run its operators, forward and backward, on arrays and in graphs.

make gemm_lib && python test_gemm.py
"""

import numpy as np

import gluonic as mx

mx.library.load("libgemm_lib.so")

a = mx.nd.array([[1, 2, 3], [4, 5, 6]])
b = mx.nd.array([[7], [8], [9]])

print("--------start ndarray compute---------")
print(mx.nd.my_gemm(a, b))
print("--------")
print(mx.nd.state_gemm(a, b, test_kw=100))

print("--------start symbolic compute--------")
s, t = mx.sym.Variable("s"), mx.sym.Variable("t")
symbols = {
    "my_gemm": mx.sym.my_gemm(s, t),
    "state_gemm": mx.sym.state_gemm(s, t, test_kw=200),
    "linalg.gemm2": mx.sym.linalg.gemm2(s, t),
}
gradients = {}
for name, symbol in symbols.items():
    gradients[name] = [mx.nd.empty((2, 3)), mx.nd.empty((3, 1))]
    executor = symbol.bind(mx.cpu(), args={"s": a, "t": b}, args_grad=gradients[name])
    print(name, executor.forward(is_train=True))
    if name == "state_gemm":  # once more: its state counts
        print(name, executor.forward(is_train=True))
    executor.backward([mx.nd.ones((2, 1))])

print("--------start backward compute--------")
for name, arrays in gradients.items():
    print(name, arrays)

for name in ("my_gemm", "state_gemm"):
    for mine, regular in zip(gradients[name], gradients["linalg.gemm2"], strict=True):
        assert np.allclose(mine.asnumpy(), regular.asnumpy()), name
print("as the regular operator computes them")
