"""Measure what the passes of LLVM that are turned off would cost: milliseconds, and bytes of machine code.

    python -m benchmarks.llvm_passes [--rounds 3]

The code is that of ResNet-18 with one image and of an LSTM over 20 steps, each as one module.
"""

import argparse
import time
from typing import Any

import gluonic as mx
from gluonic.codegen.machine.jit import lowered
from gluonic.codegen.machine.llvm_options import llvm_options, set_llvm_options
from gluonic.codegen.machine.target import host


def _texts() -> list[str]:
    """The LLVM modules."""
    nets = (
        (mx.gluon.model_zoo.vision.resnet18_v1(), (1, 3, 224, 224)),
        (mx.gluon.rnn.LSTM(64, input_size=32), (20, 8, 32)),
    )
    texts = []
    for net, shape in nets:
        net.initialize()
        net.hybridize()
        texts.append(net.explain(mx.nd.ones(shape)).code)
    return texts


def _compiled(text: str, changed: dict[str, bool]) -> tuple[float, int]:
    """The time for a module with some options changed, and the size of its object file."""

    def finish(machine: Any, module: Any) -> bytes:
        set_llvm_options(changed)
        return bytes(machine.emit_object(module))

    begin = time.perf_counter()
    size = len(lowered(text, host(), finish))
    return 1e3 * (time.perf_counter() - begin), size


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    texts, options = _texts(), llvm_options(host())
    rows = {"as it is": {}, **{f"without {o}={v}": {o: not v} for o, v in options.items()}}
    times: dict[str, list[float]] = {title: [] for title in rows}
    sizes: dict[str, int] = {}
    for _ in range(rounds):
        for title, changed in rows.items():
            found = [_compiled(text, changed) for text in texts]
            times[title].append(sum(spent for spent, _ in found))
            sizes[title] = sum(size for _, size in found)
    for title in rows:
        print(f"{title:40s} {min(times[title]):8.0f} ms {sizes[title]:8d} bytes")


if __name__ == "__main__":
    main()
