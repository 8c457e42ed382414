"""Which machine code runs an operator as a whole, and that no other is imported for it."""

import subprocess
import sys

_PROGRAM = """
import sys
from gluonic import nd, gluon
net = gluon.nn.{layer}
net.initialize()
net.hybridize()
net(nd.ones((2, 3, 8, 8))).wait_to_read()
print(*(name for name in sys.modules if name.startswith("gluonic.codegen.")))
"""


def compiler_after(layer: str) -> set[str]:
    """The modules of the compiler that a call of a layer imports."""
    program = [sys.executable, "-c", _PROGRAM.format(layer=layer)]
    output = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    return {name.removeprefix("gluonic.codegen.") for name in output.split()}


def test_a_net_without_images_imports_nothing_for_them() -> None:
    found = compiler_after("Dense(4)")
    assert "matmul.steps" in found
    unneeded = "convolution.", "pooling.", "resampling.", "recurrent.", "rewriting.layout."
    assert not [name for name in found if name.startswith(unneeded)]


def test_a_net_with_images_imports_their_kernels() -> None:
    assert "convolution.steps" in compiler_after("Conv2D(4, 3)")
