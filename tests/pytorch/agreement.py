"""Operators and nets in PyTorch, compared: ``python -m tests.pytorch.agreement``, where PyTorch is installed.

Every sample of the registry that ONNX has, the nets of tests/onnx and the model zoo are written and run.
docs/pytorch.md records the result.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gluonic as mx
from gluonic import nd
from gluonic.gluon.model_zoo import vision
from gluonic.onnx import get_operator_support
from gluonic.onnx.comparison import difference
from gluonic.onnx.errors import ExportError
from gluonic.onnx.writing import write_graph
from gluonic.pytorch.exporting import PYTORCH
from gluonic.pytorch.layers import RULES
from gluonic.pytorch.loaded import LoadedModule
from gluonic.pytorch.source import ModuleSource
from tests.graph.registry_samples import CASES
from tests.onnx.nets import NETS
from tests.onnx.sampled_graphs import sampled_graph

TOLERANCE = 2e-5
Outcome = tuple[str, str]
"""What was written, and a word: ``agrees``, ``refused: …``, ``differs: …``, ``fails: …``."""


def operators() -> Iterator[Outcome]:
    supported = set(get_operator_support())
    for name, number in CASES:
        if name in supported and not name.startswith("_backward"):
            outcome = of_sample(name, number)
            if outcome:
                yield f"{name} {number}", outcome


def of_sample(name: str, number: int) -> str:
    """How a sample goes; empty if ONNX has no counterpart either, or numbers are drawn."""
    sampled = sampled_graph(name, number)
    try:
        written = write_graph(sampled.graph, sampled.inputs, sampled.parameters, 20, PYTORCH, RULES)
    except ExportError:
        return ""
    source = ModuleSource(written)
    if source.refused:
        return f"refused: {next(iter(source.refused.values()))}"
    try:
        module = LoadedModule(source.text("Net", ""), "Net", source.arrays)
        outputs = module(sampled.feed.values())
    except Exception as error:  # whatever PyTorch raises is what is looked for
        return f"fails: {type(error).__name__}: {error}".splitlines()[0]
    if module.is_random:
        return ""
    for ours, theirs in zip(sampled.expected, outputs, strict=True):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return f"differs: {theirs.dtype} {theirs.shape}, not {ours.dtype} {ours.shape}"
        if not difference(ours, theirs) < TOLERANCE:
            return f"differs: by {difference(ours, theirs):.2g}"
    return "agrees"


def nets() -> Iterator[Outcome]:
    for name, make in NETS.items():
        net, inputs, dynamic = make()
        yield name, of_net(net, inputs, dynamic)


def zoo() -> Iterator[Outcome]:
    for name in vision.FUNCTIONS:
        side = 299 if name == "inceptionv3" else 224
        yield name, of_net(vision.get_model(name), [nd.ones((1, 3, side, side))], None)


def of_net(net: mx.gluon.HybridBlock, inputs: list[nd.NDArray], dynamic: Any) -> str:
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    net(*inputs)
    with tempfile.TemporaryDirectory() as folder:
        try:
            files = net.export_torch(
                str(Path(folder) / "net.py"), *inputs, dynamic_input_shapes=dynamic
            )
        except ExportError as error:
            return f"refused: {str(error).splitlines()[1].strip()}"
        except Exception as error:  # whatever PyTorch raises is what is looked for
            return f"fails: {type(error).__name__}: {error}".splitlines()[0]
    return f"agrees within {files.agreement:.1g}"


SUBJECTS: dict[str, Callable[[], Iterator[Outcome]]] = {
    "operators": operators,
    "nets": nets,
    "zoo": zoo,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("subjects", nargs="*", default=[*SUBJECTS])
    for subject in parser.parse_args().subjects:
        counts: dict[str, int] = defaultdict(int)
        for what, outcome in SUBJECTS[subject]():
            counts[outcome.split(":")[0].split()[0]] += 1
            if subject != "operators" or outcome != "agrees":
                print(f"{what}: {outcome}", flush=True)
        print(subject, dict(counts), flush=True)


if __name__ == "__main__":
    main()
