"""Measure graphs of many nodes: reading one from a file, binding, first calls.

    python -m benchmarks.large_graphs [--nodes 1000000] [--chain 100000] [--rounds 3]

Each measurement is a process of its own, with no machine code on disk; the least of some rounds. CPU seconds
stand beside those of the clock, since other processes slow them less; then the process's peak memory in MiB,
of which importing takes some 50. All graphs are chains of `relu` and `_mul_scalar`.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.processes import output_of

HERE = os.path.abspath(__file__)


def chain(F: Any, x: Any, nodes: int) -> Any:
    """Apply a number of operators one after the other."""
    for i in range(nodes):
        x = F.relu(x) if i % 2 else x * 1.01
    return x


def write(file: str, nodes: int) -> None:
    """Write a chain as symbol JSON, node by node."""
    with open(file, "w") as stream:
        stream.write('{"nodes": [')
        for i in range(nodes):
            stream.write(json.dumps(_record(i), indent=2) + ("," if i + 1 < nodes else "],"))
        stream.write('"node_row_ptr": [')
        stream.writelines(f"{i},\n" for i in range(nodes))
        stream.write(f'{nodes}], "arg_nodes": [0], "heads": [[{nodes - 1}, 0, 0]], ')
        stream.write('"attrs": {"mxnet_version": ["int", 10901]}}')


def _record(number: int) -> dict[str, Any]:
    if number == 0:
        return {"op": "null", "name": "data", "inputs": []}
    inputs = [[number - 1, 0, 0]]
    if number % 2:
        return {"op": "relu", "name": f"relu{number // 2}", "inputs": inputs}
    name = f"_mulscalar{number // 2}"
    return {"op": "_mul_scalar", "name": name, "attrs": {"scalar": "1.01"}, "inputs": inputs}


def _load(mx: Any, nodes: int, file: str) -> Callable[[], Any]:
    return lambda: mx.sym.load(file)


def _bind(mx: Any, nodes: int, file: str) -> Callable[[], Any]:
    net = chain(mx.sym, mx.sym.var("data"), nodes)
    return lambda: net.simple_bind(mx.cpu(), data=(4,), grad_req="null")


def _forward(mx: Any, nodes: int, file: str) -> Callable[[], Any]:
    executor = _bind(mx, nodes, file)()
    return lambda: executor.forward()


def _hybridized(mx: Any, nodes: int, file: str) -> Callable[[], Any]:
    class Chain(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return chain(F, x, nodes)

    net, x = Chain(), mx.nd.ones((4,))
    net.hybridize()
    return lambda: net(x)


WORK: dict[str, Callable[[Any, int, str], Callable[[], Any]]] = {
    "load the file": _load,
    "bind": _bind,
    "first forward": _forward,
    "first call, hybridized": _hybridized,
}


def measure(work: str, nodes: int, file: str) -> None:
    """Do some work in this process; print the elapsed and the processor seconds, and the peak in MiB."""
    import gluonic as mx

    call = WORK[work](mx, nodes, file)
    begin, cpu = time.perf_counter(), time.process_time()
    call()
    took = time.perf_counter() - begin, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(*took, peak)


def main() -> None:
    """Measure the requested work."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=1_000_000, help="of the file")
    parser.add_argument("--chain", type=int, default=100_000, help="operators of what is run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--do", choices=WORK, help="measure this work in this process")
    parser.add_argument("--file", default="")
    options = parser.parse_args()
    if options.do:
        measure(options.do, options.nodes, options.file)
        return
    os.environ.update(GLUONIC_CACHE="0", GLUONIC_EXECUTOR="compile")
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "large-symbol.json")
        write(file, options.nodes)
        print(f"{'':24}{'nodes':>12}{'s':>8}{'CPU s':>8}{'MiB':>8}")
        for work in WORK:
            nodes = options.nodes if work == "load the file" else options.chain
            arguments = ("--do", work, "--nodes", str(nodes), "--file", file)
            found = [
                [float(one) for one in output_of(sys.executable, HERE, *arguments).split()]
                for _ in range(options.rounds)
            ]
            clock, cpu, peak = (min(each) for each in zip(*found, strict=True))
            print(f"{work:24}{nodes:12,}{clock:8.1f}{cpu:8.1f}{peak:8.0f}", flush=True)


if __name__ == "__main__":
    main()
