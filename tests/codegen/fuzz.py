"""Look for graphs on which compiler and interpreter differ, for as long as one likes.

``python -m tests.codegen.fuzz --minutes 30 --seed 1 --most 60`` prints the smallest failing graph that
hypothesis finds, and goes on with another seed. ``GLUONIC_CPU=x86-64`` and the like narrow the target;
``GLUONIC_NUM_THREADS=3 … --share`` divides among threads what is too small for it. ``--way threads`` compares
the bits that one thread and three compute, ``--way shapes`` calls each graph with other shapes, too. ``--nets``
looks at hybridized nets. But for ``--way shapes``, every other seed of each kind puts
NaN, infinities and denormals into the inputs.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gluonic.graph.errors import MXNetError
from tests.codegen.agreement import check_backward, check_forward, check_threads
from tests.codegen.as_wide import write_for_avx512
from tests.codegen.other_shapes import CHANGES, check_other_shapes
from tests.codegen.random_graphs import FAMILIES, random_graphs
from tests.codegen.random_nets import EVENTS, RandomNet, play, random_nets
from tests.codegen.shared_steps import share_all

_FLOATS = (("float32",), ("float64",), ("float32", "float16"), ("float16",))


def _looking(
    seed: int, most: int, families: tuple[str, ...], examples: int, way: str
) -> Callable[[], Any]:
    graphs = random_graphs(
        dtypes=_FLOATS[seed % 4],
        most=most,
        families=families,
        train=bool(seed // 4 % 2),
        unusual=way != "shapes" and bool(seed // 8 % 2),
    )

    @_searched(seed, examples)
    @given(graphs, st.lists(st.booleans(), min_size=1, max_size=5), st.booleans(), CHANGES)
    def look(random: Any, wanted: Any, backward: bool, changes: Any) -> None:
        hypothesis.note(random.text())
        if way == "threads":
            check_threads(random, wanted if backward and any(wanted) else None)
            return
        if way == "shapes":
            check_other_shapes(random, changes)
            return
        check_forward(random)
        if backward and any(wanted):
            check_backward(random, wanted)

    return look


def _searched(seed: int, examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Have hypothesis try so many examples that follow from a seed, and shrink one that fails."""
    chosen = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    return lambda look: hypothesis.seed(seed)(chosen(look))


def _playing(seed: int, examples: int) -> Callable[[], Any]:
    @_searched(seed, examples)
    @given(random_nets(), st.lists(EVENTS, min_size=2, max_size=6))
    def look(made: Any, events: Any) -> None:
        try:
            net = RandomNet(*made)
        except MXNetError:  # layers that do not fit together
            hypothesis.reject()
        try:
            play(net, events)
        finally:
            hypothesis.note(f"input {net.shape}\n" + "\n".join(net.done))

    return look


def main() -> int:
    """Look; return how many failures were found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=30, help="steps a graph")
    parser.add_argument("--examples", type=int, default=60, help="graphs a seed")
    parser.add_argument("--family", action="append", choices=list(FAMILIES))
    parser.add_argument("--nets", action="store_true", help="nets of Gluon instead of graphs")
    parser.add_argument("--wide", action="store_true", help="code as it is written for AVX-512")
    parser.add_argument("--share", action="store_true", help="share even the smallest step")
    parser.add_argument(
        "--way",
        choices=["results", "threads", "shapes"],
        default="results",
        help="compare results and gradients, the bits of one thread and three, or calls of other shapes",
    )
    chosen = parser.parse_args()
    if chosen.wide:
        write_for_avx512()
    if chosen.share:
        share_all()
    families = tuple(chosen.family or FAMILIES)
    end, seed, failures = time.monotonic() + 60 * chosen.minutes, chosen.seed, 0
    while time.monotonic() < end:
        try:
            if chosen.nets:
                _playing(seed, chosen.examples)()
            else:
                _looking(seed, chosen.most, families, chosen.examples, chosen.way)()
        except Exception as error:  # whatever is wrong is reported, and the search goes on
            failures += 1
            message, trace = (
                f"{type(error).__name__}: {error}"[:2000],
                traceback.format_exc()[-6000:],
            )
            print(f"--- seed {seed}\n{message}\n{trace}", flush=True)
        else:
            print(f"seed {seed}: nothing", flush=True)
        seed += 1
    return failures


if __name__ == "__main__":
    os.environ.setdefault("GLUONIC_EXECUTOR", "compile")
    sys.exit(bool(main()))
