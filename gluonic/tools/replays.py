"""Computing a proof's results again: in gluonic, and in the real MXNet."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from gluonic import ndarray as nd
from gluonic._version import __version__
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.gluon.proofs import Proof, Values
from gluonic.graph.errors import MXNetError
from gluonic.tools.models import Model

_SCRIPT = Path(__file__).with_name("mxnet_replay.py")
"""What MXNet's Python runs; it cannot be imported here."""


class Runtime(Protocol):
    """Something that computes models."""

    @property
    def name(self) -> str:
        """Its name and version."""
        raise NotImplementedError

    def outputs(self, proof: Proof) -> Values:
        """The outputs for the proof's inputs, by name."""
        raise NotImplementedError

    def results(self, proof: Proof) -> Values:
        """The results of all operators for the proof's inputs, by name."""
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
        names = (
            node.entry(number).name
            for node in self._model.graph.nodes
            if not node.is_variable
            for number in range(node.visible_count)
        )
        return self._computed(proof, names)

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
            answer = _run([self._python, str(_SCRIPT)], request)
            self.name = f"MXNet {answer['version']}"
            arrays = read_npz(folder / "out.npz").values()
            return dict(zip(answer["results"], arrays, strict=True))


def _run(command: Sequence[str], request: Any) -> Any:
    """Run a program that answers JSON with JSON, in a Python that is not ours.

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
        reason = (ran.stderr.strip().splitlines() or [f"status {ran.returncode}"])[-1]
        raise MXNetError(f"{command[0]}: {reason}")
    return json.loads(ran.stdout.splitlines()[-1])


def _arrays(values: Values) -> dict[str, nd.NDArray]:
    return {name: nd.array(x, dtype=np.dtype(x.dtype)) for name, x in values.items()}
