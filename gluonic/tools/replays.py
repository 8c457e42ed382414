"""Computing a proof's results again: in gluonic, the real MXNet, ONNX Runtime, PyTorch, and a library."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gluonic import ndarray as nd
from gluonic._version import __version__
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.gluon.proofs import Proof, Values
from gluonic.graph import Node
from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.onnx.comparison import run_model
from gluonic.onnx.importing import load
from gluonic.onnx.library import onnx_library
from gluonic.pytorch import LoadedModule, plain_name
from gluonic.tools.models import Model

_IN_MXNET, _IN_LIBRARY = map(Path(__file__).with_name, ("mxnet_replay.py", "library_replay.py"))
"""What other processes run."""
_DESCRIBED = r"^ \*   (\w+): \w+ \([^)]*\)(?: \([^)]*\))?, (.+)$"
"""How a library's header describes an array: its name in C, and in the net."""


class Runtime(Protocol):
    """Something that computes models."""

    @property
    def name(self) -> str:
        """Its name and version."""
        raise NotImplementedError

    def outputs(self, proof: Proof) -> Values:
        """The outputs for the proof's inputs, by name."""
        raise NotImplementedError

    def results(self, proof: Proof) -> Values | None:
        """The results of all operators for the proof's inputs, by name; None if only outputs can be seen."""
        raise NotImplementedError


class Gluonic:
    """The gluonic that runs: machine code for outputs, operator by operator for all results."""

    name = f"gluonic {__version__}"

    def __init__(self, model: Model) -> None:
        self._model = model

    def outputs(self, proof: Proof) -> Values:
        """See `Runtime`."""
        results = self._model(_arrays(proof.inputs))
        return {n: x.asnumpy() for n, x in zip(self._model.outputs, results, strict=True)}

    def results(self, proof: Proof) -> Values:
        """See `Runtime`."""
        return {
            node.entry(number).name: arrays[number].asnumpy()
            for node, arrays in self._model.eagerly(_arrays(proof.inputs))
            for number in range(node.visible_count)
        }


class RealMXNet:
    """MXNet, in a process of a Python that has it.

    Parameters
    ----------
    python : that Python
    network, parameters : the model's files
    model : the same in gluonic, which knows the names of results
    """

    def __init__(self, python: str, network: Path, parameters: Path, model: Model) -> None:
        self._python, self._files, self._model = python, (network, parameters), model
        self.name = f"MXNet of {python}"

    def outputs(self, proof: Proof) -> Values:
        """See `Runtime`."""
        return self._computed(proof, self._model.outputs)

    def results(self, proof: Proof) -> Values:
        """See `Runtime`."""
        return self._computed(proof, (n.entry(number).name for n, number in _results(self._model)))

    def _computed(self, proof: Proof, names: Iterable[str]) -> Values:
        network, parameters = self._files
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_npz(folder / "in.npz", proof.inputs)
            request = {
                "network": str(network.resolve()),
                "parameters": str(parameters.resolve()),
                "inputs": str(folder / "in.npz"),
                "output": str(folder / "out.npz"),
                "results": [*names],
            }
            answer = _run([self._python, str(_IN_MXNET)], request)
            self.name = f"MXNet {answer['version']}"
            arrays = read_npz(folder / "out.npz").values()
            return dict(zip(answer["results"], arrays, strict=True))


class OnnxFile:
    """A file that was written from the model, in ONNX Runtime, or without it in onnx's reference evaluator.

    Parameters
    ----------
    file : the file
    model : the model in gluonic
    """

    _runtime = "ONNX Runtime"

    def __init__(self, file: Path, model: Model) -> None:
        self._read, self._model, self._file = load(file), model, file

    @property
    def name(self) -> str:
        """See `Runtime`."""
        return f"{self._file} in {self._runtime}"

    def outputs(self, proof: Proof) -> Values:
        """See `Runtime`."""
        return self._computed(proof, {value.name: value.name for value in self._read.graph.output})

    def results(self, proof: Proof) -> Values:
        """See `Runtime`: values have the names of gluonic's nodes."""
        own = {name for node in self._read.graph.node for name in node.output}
        names: dict[str, str] = {}
        for node, number in _results(self._model):
            entry = node.entry(number).name
            names |= {each: entry for each in (entry, _written_name(node, number)) if each in own}
        return self._computed(proof, names)

    def _computed(self, proof: Proof, names: Mapping[str, str]) -> Values:
        """Values by their names in the proof."""
        model = type(self._read)()
        model.CopyFrom(self._read)
        del model.graph.output[:]
        model.graph.output.extend(onnx_library().ValueInfoProto(name=name) for name in names)
        read = {value.name for value in model.graph.input}
        feed = {name: array for name, array in proof.inputs.items() if name in read}
        arrays, self._runtime = run_model(model, feed)
        return {names[n]: np.asarray(x) for n, x in zip(names, arrays, strict=True)}


class TorchFile:
    """A module that was written from the model, in PyTorch.

    Parameters
    ----------
    file : its source; its weights are beside it
    model : the model in gluonic
    """

    def __init__(self, file: Path, model: Model) -> None:
        self._module = LoadedModule.of_files(file, file.with_suffix(".safetensors"))
        self._model = model
        self.name = f"{file} in {self._module.runtime}"

    def outputs(self, proof: Proof) -> Values:
        """See `Runtime`."""
        return dict(zip(self._model.outputs, self._module(proof.inputs.values()), strict=True))

    def results(self, proof: Proof) -> Values:
        """See `Runtime`: variables have the names of gluonic's nodes, but for those that are alike."""
        variables = self._module.variables(proof.inputs.values())
        names: dict[str, list[str]] = {}
        for node, number in _results(self._model):
            name = plain_name(_written_name(node, number))
            names.setdefault(name, []).append(node.entry(number).name)
        return {
            entries[0]: variables[name]
            for name, entries in names.items()
            if name in variables and len(entries) == 1
        }


class LibraryFile:
    """A shared library that was written from the model, in a process that only calls it.

    Parameters
    ----------
    file : the library; its header is beside it, and its weights, if they are in a file
    model : the model in gluonic

    Raises
    ------
    FileFormatError
        if the header has no functions of such a library
    """

    def __init__(self, file: Path, model: Model) -> None:
        self._file, self._model = file, model
        self.name = str(file)
        text = file.with_suffix(".h").read_text()
        declared = re.search(
            r"int32_t (\w+)_run\(\w+ \*context, int64_t batch(.*?)\);", text, re.DOTALL
        )
        if declared is None:
            raise FileFormatError(f"{file} has no header that gluonic has written beside it")
        self._prefix = declared[1]
        titles = dict(re.findall(_DESCRIBED, text, re.MULTILINE))
        self._inputs = [titles[name] for name in re.findall(r"const \w+ \*(\w+)", declared[2])]
        weights = re.search(r"The weights are in a file, (.*)\.$", text, re.MULTILINE)
        self._weights = str(file.with_name(weights[1]).resolve()) if weights else None

    def outputs(self, proof: Proof) -> Values:
        """See `Runtime`."""
        missing = [each for each in self._inputs if each not in proof.inputs]
        if missing:
            raise MXNetError(f"{self._file} reads {missing[0]}, which is no input of the model")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            inputs = {each: proof.inputs[each] for each in self._inputs}
            write_npz(folder / "in.npz", inputs)
            outputs = [proof.outputs[each] for each in self._model.outputs]
            extents = [extent for array in inputs.values() for extent in array.shape]
            request = {
                "library": str(self._file.resolve()),
                "prefix": self._prefix,
                "weights": self._weights,
                "inputs": str(folder / "in.npz"),
                "output": str(folder / "out.npz"),
                "outputs": [(array.shape, array.dtype.name) for array in outputs],
                "batches": [*dict.fromkeys([*extents, 1])],
            }
            answer = _run([sys.executable, str(_IN_LIBRARY)], request, str(self._file))
            self.name = f"{self._file} ({answer['version']})"
            arrays = read_npz(folder / "out.npz").values()
            return dict(zip(self._model.outputs, arrays, strict=True))

    def results(self, proof: Proof) -> None:
        """See `Runtime`."""


def _results(model: Model) -> Iterator[tuple[Node, int]]:
    """The operators with the numbers of their results."""
    for node in model.graph.nodes:
        for number in range(0 if node.is_variable else node.visible_count):
            yield node, number


def _written_name(node: Node, number: int) -> str:
    """The name of a result where a graph is written elsewhere."""
    return node.name if number == 0 else node.entry(number).name


def _run(command: Sequence[str], request: Any, runs: str = "") -> Any:
    """Run a program that answers JSON with JSON, in a Python that is not ours.

    Parameters
    ----------
    runs : what it runs, for errors; by default the Python

    Raises
    ------
    MXNetError
        with what it printed last, if it fails
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    # With oneDNN's subgraphs, MXNet 1.9.1 fails where an operator within one is an output.
    environment.update(MXNET_SUBGRAPH_BACKEND="NONE")
    try:
        ran = subprocess.run(
            command,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise MXNetError(f"{command[0]} cannot be run: {error.strerror}") from error
    if ran.returncode:
        ended = f"status {ran.returncode}"
        if ran.returncode < 0:
            ended = f"it ended by {signal.Signals(-ran.returncode).name}"
        reason = (ran.stderr.strip().splitlines() or [ended])[-1]
        raise MXNetError(f"{runs or command[0]}: {reason}")
    return json.loads(ran.stdout.splitlines()[-1])


def _arrays(values: Values) -> dict[str, nd.NDArray]:
    return {name: nd.array(x, dtype=np.dtype(x.dtype)) for name, x in values.items()}
