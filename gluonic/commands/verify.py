"""``gluonic verify PROOF``: compute again what a proof says that a model computes."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.drawing.failure import drawing_of_failure
from gluonic.gluon.proofs import Proof, Values, digest_of, read_proof, sampled
from gluonic.graph import Node
from gluonic.graph.errors import FileFormatError
from gluonic.support.record import record
from gluonic.symbol.inference import SHAPE
from gluonic.symbol.plotting import facts_of
from gluonic.tools.array_differences import Tolerance, how_different
from gluonic.tools.command import DONE, NO, Answer, CommandError
from gluonic.tools.drawing_files import FORMATS, check_format, write_drawing
from gluonic.tools.models import Model
from gluonic.tools.replays import Gluonic, LibraryFile, OnnxFile, RealMXNet, Runtime, TorchFile

_ENDING = ".proof.npz"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the proof, and what computes it again."""
    add = parser.add_argument
    add("proof", help="what export(…, proof=True) wrote: net-0000.proof.npz, beside the model")
    add("--mxnet", metavar="PYTHON", help="compute it with the MXNet of this Python, too")
    add("--onnx", metavar="FILE", help="compute it with ONNX Runtime and this file, too")
    add("--torch", metavar="FILE.py", help="compute it with PyTorch and this module, too")
    add("--library", metavar="FILE.so", help="compute it with this library, too")
    add("--rtol", type=float, help="relative tolerance, by default the proof's")
    add(
        "--atol", type=float, help="absolute tolerance, in largest elements, by default the proof's"
    )
    add("--output", metavar="FILE", help=f"draw the first operator that differs: {FORMATS}")


def run(options: argparse.Namespace) -> Answer:
    """Replay a proof."""
    file = Path(options.proof)
    if not file.name.endswith(_ENDING):
        raise CommandError(f"{file} is no proof", hint=f"a file that ends with {_ENDING}")
    if options.output is not None:
        check_format(Path(options.output))
    proof = read_proof(file)
    network, parameters = _files(proof, file)
    changed = [
        one.name for one in (network, parameters) if digest_of(one) != proof.digests[one.name]
    ]
    model = Model(network, str(parameters))
    for name in proof.inputs:
        model.check_input(name)
    limits = _Limits(
        proof.relative if options.rtol is None else options.rtol,
        proof.absolute if options.atol is None else options.atol,
    )
    runtimes: list[Runtime] = [Gluonic(model)]
    if options.mxnet is not None:
        runtimes.append(RealMXNet(options.mxnet, network, parameters, model))
    if options.onnx is not None:
        runtimes.append(OnnxFile(Path(options.onnx), model))
    if options.torch is not None:
        runtimes.append(TorchFile(Path(options.torch), model))
    if options.library is not None:
        runtimes.append(LibraryFile(Path(options.library), model))
    verdicts = [_replayed(one, proof, model, limits) for one in runtimes]
    drawn = _draw(model, proof, verdicts, options.output)
    holds = not changed and all(verdict.holds for verdict in verdicts)
    facts = {
        "holds": holds,
        "changed files": changed,
        "runtimes": [verdict.facts for verdict in verdicts],
        "written": drawn,
    }
    lines = [f"{name} has changed since the proof was written" for name in changed]
    lines += [line for verdict in verdicts for line in verdict.lines()]
    return Answer(facts, [*lines, *drawn], DONE if holds else NO)


def _files(proof: Proof, file: Path) -> tuple[Path, Path]:
    """The network and the parameters that a proof is about, which lie beside it."""
    names = [*proof.digests]
    if len(names) != 2 or any(Path(name).name != name for name in names):
        raise FileFormatError(f"{file}: a proof is about two files in its folder, not {names}")
    network, parameters = (file.with_name(name) for name in names)
    return network, parameters


# ------------------------------------------------------------------------------------- comparing


@record
class _Limits:
    """Tolerances: relative, and a share of an array's largest element."""

    relative: float
    share: float

    def of(self, expected: np.ndarray[Any, Any]) -> Tolerance:
        """The tolerance for an array."""
        finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
        return Tolerance(self.relative, self.share * float(finite.max(initial=0.0)))

    def difference(
        self, expected: np.ndarray[Any, Any], computed: np.ndarray[Any, Any]
    ) -> str | None:
        """How arrays differ; None if they do not."""
        if computed.dtype != expected.dtype and computed.shape == expected.shape:
            computed = computed.astype(expected.dtype)  # MXNet names fewer dtypes
        return how_different(computed, expected, self.of(expected))


@record
class _First:
    """The first operator that differs."""

    node: Node
    how: str


@record
class _Verdict:
    """What a runtime computed.

    Attributes
    ----------
    outputs : for each output, how it differs, or None
    first : the operator that differs first
    looked : whether operators were compared one by one
    """

    runtime: str
    outputs: dict[str, str | None]
    first: _First | None
    looked: bool

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not any(self.outputs.values())

    @property
    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        first = self.first and {
            "name": self.first.node.name,
            "operator": self.first.node.operator_name,
            "difference": self.first.how,
        }
        return {"runtime": self.runtime, "outputs": self.outputs, "first": first}

    def lines(self) -> Iterator[str]:
        """The same for people."""
        word = "the same" if self.holds else "differs"
        yield f"{self.runtime}: {word}"
        yield from (f"  {name}: {how}" for name, how in self.outputs.items() if how)
        if self.first is not None:
            yield f"  first in {self.first.node.title}: {self.first.how}"
        elif self.looked:
            yield "  operator by operator, nothing differs: the compiled code does"


def _replayed(runtime: Runtime, proof: Proof, model: Model, limits: _Limits) -> _Verdict:
    computed = runtime.outputs(proof)
    outputs = {
        name: limits.difference(expected, computed[name]) if name in computed else "is not there"
        for name, expected in proof.outputs.items()
    }
    differs = any(outputs.values())
    results = runtime.results(proof) if differs else None
    first = None if results is None else _first(results, proof.samples, model, limits)
    return _Verdict(runtime.name, outputs, first, looked=results is not None)


def _first(results: Values, samples: Values, model: Model, limits: _Limits) -> _First | None:
    """The first operator, in the order of the graph, whose results differ from the samples."""
    for node in model.graph.nodes:
        if node.is_variable:
            continue
        for number in range(node.visible_count):
            name = node.entry(number).name
            if name not in results or name not in samples:
                continue
            how = limits.difference(samples[name], sampled(results[name]))
            if how is not None:
                return _First(node, how)
    return None


def _draw(
    model: Model, proof: Proof, verdicts: Sequence[_Verdict], output: str | None
) -> list[str]:
    """Draw the graph up to the first operator that differs, if that is asked for; returns the files."""
    first = next((verdict.first for verdict in verdicts if verdict.first is not None), None)
    if output is None or first is None:
        return []
    shapes = {name: x.shape for name, x in proof.inputs.items()}
    shapes |= {name: x.shape for name, x in model.values().items()}
    facts = facts_of(model.graph, SHAPE, shapes)
    message = f"{first.node.title} differs: {first.how}"
    write_drawing(Path(output), drawing_of_failure(first.node, "shape", facts, message))
    return [output]
