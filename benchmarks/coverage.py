"""The operators that hybridized nets run in Python, and the nets that hybridizing slows down.

    python -m benchmarks.coverage [--only Conv] [--sizes small,medium] [--models some] [--seconds 0.05]

For every layer, cell, loss and network: how often a call enters machine code, which operators Python runs and
why, and the shortest time of a call hybridized as a share of that of an eager one, forward and with gradients.
At the end the operators that Python runs, with the nets in which it does.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.coverage_cases import ALL_MODELS, MODELS, Case, layers, models
from gluonic import autograd, nd
from gluonic.codegen.inspection.explain import Explanation, explain
from gluonic.gluon.traces import traces_of

_ROUNDS = 5


def made(case: Case, size: str) -> tuple[Any, list[Any]]:
    """The net with parameters, and its inputs, which have gradients."""
    net, inputs = case.make(), case.inputs(size)
    net.initialize()
    if case.dtype != "float32":
        net.cast(case.dtype)
    if case.name != "Embedding":
        inputs[0].attach_grad()
    return net, inputs


def forward(net: Any, inputs: list[Any]) -> None:
    """Predict."""
    outputs = net(*inputs)
    (outputs[0] if isinstance(outputs, list | tuple) else outputs).wait_to_read()


def step(net: Any, inputs: list[Any]) -> None:
    """Run in training mode, and backward."""
    with autograd.record():
        output = net(*inputs)
    (output[0] if isinstance(output, list | tuple) else output).backward()
    nd.waitall()


def explanations(net: Any, *, training: bool) -> Iterator[Explanation]:
    """The explanations of the compiled graphs of the latest call."""
    bound = traces_of(net).bound
    assert bound is not None
    programs = [bound.op.inference]
    if training:
        both = bound.op.with_gradients.values()
        programs = [p for pair in both for p in (pair.forward_program, pair.backward_program)]
    for program in programs:
        for binding in program.compiled.bindings.values():
            yield explain(binding)


def shortest(calls: list[Callable[[], None]], seconds: float) -> list[float]:
    """The shortest time of each call in microseconds; they take turns."""
    found = [float("inf")] * len(calls)
    for _ in range(_ROUNDS):
        for number, call in enumerate(calls):
            end = time.perf_counter() + seconds / _ROUNDS
            while True:
                start = time.perf_counter()
                call()
                now = time.perf_counter()
                found[number] = min(found[number], now - start)
                if now > end:
                    break
    return [t * 1e6 for t in found]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    parser.add_argument("--sizes", default="small,medium")
    parser.add_argument("--models", choices=["none", "some", "all"], default="none")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each time; 0: none")
    arguments = parser.parse_args()
    cases = layers()
    if arguments.models != "none":
        cases = models(MODELS if arguments.models == "some" else ALL_MODELS)
    where: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for size in arguments.sizes.split(","):
        print(
            f"{size:26} {'forward':>9} {'eager':>9} ratio  {'step':>9} {'eager':>9} ratio  native Python"
        )
        for case in cases:
            if arguments.only in case.name:
                _report(case, size, arguments.seconds, where)
    print()
    for (operator, reason), names in sorted(where.items(), key=lambda item: -len(item[1])):
        print(f"{operator:34} {reason}\n{'':8}{', '.join(names)}")


def _report(
    case: Case, size: str, seconds: float, where: dict[tuple[str, str], dict[str, None]]
) -> None:
    row, calls, left = f"{case.name:26}", [], []
    for training, run in ((False, forward), (True, step)):
        eager, inputs = made(case, size)
        hybrid, others = made(case, size)
        hybrid.hybridize(compile_at_once=True)
        for _ in range(2):
            run(eager, inputs)
            run(hybrid, others)
        found = list(explanations(hybrid, training=training))
        calls.append(sum(e.native_calls for e in found))
        steps = [s for e in found for s in e.steps if s.kind == "python"]
        left.append(len(steps))
        for python in steps:
            operator = python.operators[0].split()[0]
            where[operator, python.reason][case.name] = None
        if seconds:
            pair = [lambda: run(hybrid, others), lambda: run(eager, inputs)]  # noqa: B023
            ours, theirs = shortest(pair, seconds)
            mark = "!" if ours > theirs else " "
            row += f" {ours:9.1f} {theirs:9.1f} {ours / theirs:5.2f}{mark}"
    print(row, f"  {calls[0]}+{calls[1]}   {left[0]}+{left[1]}", flush=True)


if __name__ == "__main__":
    np.random.seed(0)
    main()
