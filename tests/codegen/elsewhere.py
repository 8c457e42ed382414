"""Compile for a processor that this machine need not have, and look at the code; nothing of it runs.

``python -m tests.codegen.elsewhere --cpu x86-64-v4`` (or ``--triple aarch64-unknown-linux-gnu``) compiles the
samples of the registry and networks, forward and in training. It prints what cannot be compiled, how much code
there is and how long it took, and the innermost loops with multiplications that move registers to memory and
back. ``--only lenet`` takes what has this in its name.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from benchmarks.batches import NETS
from gluonic import autograd, gluon, nd
from gluonic.codegen.machine import jit, target
from gluonic.codegen.machine.target import Target
from gluonic.graph.errors import MXNetError
from tests.codegen.sweep import compiled, variants
from tests.graph.applying import application
from tests.graph.registry_samples import SAMPLES

_LABEL = re.compile(r"^(\.LBB\w+):")
_JUMP = re.compile(r"^\s+(?:j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\s.*?(\.LBB\w+)")
_PRODUCT = re.compile(r"^\s+(?:vf?n?m(?:add|sub|ul)\w*p[sd]|mulp[sd]|fml[as]|fmul)\s")
_SPILL = re.compile(r"^\s+\S+\s.*(?:\(%rsp|\[sp).*|.*byte (?:Folded )?(?:Spill|Reload)")
_VECTOR = re.compile(r"%[xyz]mm\d|\b[qvd]\d+\b")


@dataclass
class Loop:
    """An innermost loop.

    Attributes
    ----------
    function : whose
    lines : its instructions
    """

    function: str
    lines: list[str]

    @property
    def products(self) -> int:
        """How many multiplications of vectors it has."""
        return sum(bool(_PRODUCT.match(line)) for line in self.lines)

    @property
    def spills(self) -> int:
        """How many instructions read or write a vector that lies on the stack."""
        return sum(bool(_SPILL.match(x) and _VECTOR.search(x)) for x in self.lines)


def innermost_loops(assembly: str) -> Iterator[Loop]:
    """The loops of all functions that have no loop in them."""
    function = ""
    labels: dict[str, int] = {}
    lines: list[str] = []
    for line in assembly.splitlines():
        if re.match(r"^[\w.]+:", line) and not line.startswith((".L", "$")):
            function, labels, lines = line.partition(":")[0], {}, []
        elif found := _LABEL.match(line):
            labels[found[1]] = len(lines)
        elif line.startswith("\t") and not line.startswith("\t."):
            lines.append(line)
            jump = _JUMP.match(line)
            if jump and jump[1] in labels:
                begin = labels[jump[1]]
                yield Loop(function, lines[begin:])
                labels = {name: at for name, at in labels.items() if at > begin}


@dataclass
class Compiler:
    """Stands for what compiles and links: it compiles for another processor and links nothing.

    Attributes
    ----------
    target : the other processor
    compiled : compiles a module for a target
    nothing : a library with a function that does nothing
    sizes, seconds : of all modules
    loops : all innermost loops that multiply vectors
    """

    target: Target
    compiled: Callable[[str, Target], bytes]
    nothing: jit.LinkedLibrary
    sizes: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)

    def compile_object(self, text: str, target: Target) -> bytes:
        """Compile a module."""
        begin = time.process_time()
        image = self.compiled(text, self.target)
        self.sizes.append(len(image))
        self.seconds.append(time.process_time() - begin)
        found = innermost_loops(jit.assembly(text, self.target))
        self.loops += [loop for loop in found if loop.products]
        return image

    def link(self, image: bytes, names: Sequence[str], *others: object) -> _Library:
        """Functions of these names that do nothing."""
        return _Library(self.nothing, names)


class _Library:
    """Functions that do nothing."""

    def __init__(self, nothing: jit.LinkedLibrary, names: Sequence[str]) -> None:
        self.size, self.from_disk, self.name, self._nothing = 0, False, "", nothing
        self.addresses = dict.fromkeys(names, nothing["nothing"])

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]


def _samples() -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, samples in SAMPLES.items():
        for number, sample in enumerate(samples):
            _, arrays = next(variants(sample))
            try:
                used = application(name, len(arrays), sample.attributes)
            except MXNetError:
                continue  # an inner operator
            if not used.op.calls_back:
                yield f"{name} {number}", partial(compiled, used, arrays)


def _networks() -> Iterator[tuple[str, Callable[[], Any]]]:
    for name, (make, small) in NETS.items():
        shape = (3, 224, 224) if small[0] == 3 else small
        yield f"{name} forward", partial(_forward, make, shape)
        yield f"{name} training", partial(_trained, make, shape)


def _ready(make: Callable[[], Any]) -> Any:
    net = make()
    net.initialize()
    net.hybridize()
    return net


def _forward(make: Callable[[], Any], shape: Sequence[int]) -> None:
    net = _ready(make)
    for batch in (1, 8):
        net(nd.ones((batch, *shape))).wait_to_read()


def _trained(make: Callable[[], Any], shape: Sequence[int]) -> None:
    net, data = _ready(make), nd.ones((8, *shape))
    net(data)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"momentum": 0.9})
    with autograd.record():
        loss = net(data).mean()
    loss.backward()
    trainer.step(8)


def main() -> int:
    """Compile everything; return how much could not be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cpu", default="")
    parser.add_argument("--triple", default="x86_64-unknown-linux-gnu")
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--show", default="", help="print the loops of functions with this in their names"
    )
    parser.add_argument("--most", type=int, default=10, help="how many loops are shown")
    chosen = parser.parse_args()
    nothing = jit.load("define void @nothing() {\n ret void\n}\n", ["nothing"])
    compiler = Compiler(target.cross(chosen.triple, chosen.cpu), jit.compile_object, nothing)
    os.environ["GLUONIC_CACHE"] = "0"  # what is on disk would not be compiled
    for module, name, value in (
        (target, "narrowed", lambda *_: compiler.target),
        (jit, "compile_object", compiler.compile_object),
        (jit, "link", compiler.link),
    ):
        setattr(module, name, value)
    failures = 0
    for name, work in (*_samples(), *_networks()):
        if chosen.only not in name:
            continue
        before = len(compiler.sizes)
        try:
            work()
        except Exception:  # what is looked for
            failures += 1
            print(f"--- {name}\n{traceback.format_exc()[-3000:]}", flush=True)
        sizes, seconds = compiler.sizes[before:], compiler.seconds[before:]
        if sum(seconds) > 1:
            print(f"{name}: {sum(sizes) >> 10} KiB in {sum(seconds):.1f} s", flush=True)
    _report(compiler, chosen.most)
    if chosen.show:
        for loop in compiler.loops:
            if chosen.show in loop.function:
                print(loop.function, *loop.lines, "", sep="\n")
    return failures


def _report(compiler: Compiler, most: int) -> None:
    sizes, seconds = compiler.sizes, compiler.seconds
    print(f"{len(sizes)} modules, {sum(sizes) >> 10} KiB, the largest {max(sizes) >> 10} KiB, "
          f"{sum(seconds):.0f} s, the longest {max(seconds):.1f} s")  # fmt: skip
    loops = {tuple(loop.lines): loop for loop in compiler.loops}.values()
    spilling = sorted((x for x in loops if x.spills), key=lambda x: -x.spills / x.products)
    print(f"{len(spilling)} of {len(loops)} innermost loops with products read or write the stack")
    for loop in spilling[:most]:
        print(f"{loop.function}: {loop.spills} of {len(loop.lines)} instructions, "
              f"{loop.products} products")  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("GLUONIC_EXECUTOR", "compile")
    sys.exit(bool(main()))
