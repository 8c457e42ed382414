"""Proofs of exported models: sample inputs, and what the model computes for them.

``net.export("net", proof=True)`` writes ``net-0000.proof.npz`` beside the model, and ``gluonic verify`` replays
it. The file holds the inputs, the outputs, for each operator some elements of its results, and, as JSON, the
digests of the model's files and the tolerances.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gluonic import autograd
from gluonic import ndarray as nd
from gluonic._version import __version__
from gluonic.gluon.explained_block import Proving
from gluonic.gluon.npz_files import read_npz, write_npz
from gluonic.gluon.parameter_dict import PathLike
from gluonic.gluon.trace import BoundTrace, Trace
from gluonic.graph import Graph
from gluonic.graph.draws import draws
from gluonic.graph.errors import CallError, FileFormatError, describe
from gluonic.ndarray import NDArray
from gluonic.ndarray.eager_run import each_result
from gluonic.support.record import record

_VERSION = 1
_INPUT, _OUTPUT, _SAMPLE, _FACTS = "input:", "output:", "sample:", "proof"
_SAMPLED = 32
RELATIVE, ABSOLUTE = 1e-4, 1e-5
"""The tolerances; the absolute one is a share of an array's largest element."""
Values = dict[str, np.ndarray[Any, Any]]


@record
class Proof:
    """What a model computes for sample inputs.

    Attributes
    ----------
    inputs, outputs : arrays by name
    samples : for each result of an operator, by its name, some of its elements
    digests : the SHA-256 digests of the network's and the parameters' files, by name
    relative, absolute : the tolerances
    maker : the version of gluonic that wrote it
    """

    inputs: Values
    outputs: Values
    samples: Values
    digests: dict[str, str]
    relative: float = RELATIVE
    absolute: float = ABSOLUTE
    maker: str = __version__


def sampled(elements: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Some elements of an array, at equal distances, the first and the last among them.

    >>> sampled(np.arange(94).reshape(2, 47))[:4].tolist()
    [0, 3, 6, 9]
    """
    flat = elements.reshape(-1)
    if flat.size <= _SAMPLED:
        return flat
    return flat[np.linspace(0, flat.size - 1, _SAMPLED).astype(np.int64)]


def digest_of(file: Path) -> str:
    """The SHA-256 digest of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def save_with_proof(
    trace: Trace,
    bound: BoundTrace,
    path: PathLike,
    epoch: int,
    remove_amp_cast: bool,
    proof: Proving,
) -> tuple[str, str]:
    """Save a traced block, as `BoundTrace.save` does, and a proof beside it.

    Parameters
    ----------
    trace, bound : the trace, and the same bound to parameters
    path, epoch, remove_amp_cast : as for `BoundTrace.save`
    proof : the sample inputs; True draws some

    Raises
    ------
    CallError
        if inputs cannot be drawn, or do not suit the block, or the graph draws random numbers; nothing is
        written then
    """
    inputs = _inputs(trace, proof)
    values = {node.name: x for node, x in zip(trace.input_nodes, inputs, strict=True)}
    names = [*values]
    values |= {parameter.name: parameter.data() for parameter in bound.parameters()}
    arrays = _computed(trace.graph, values, names)
    files = bound.save(trace, path, epoch, remove_amp_cast=remove_amp_cast)
    facts = {
        "version": _VERSION,
        "gluonic": __version__,
        "digests": {Path(file).name: digest_of(Path(file)) for file in files},
        "relative": RELATIVE,
        "absolute": ABSOLUTE,
    }
    arrays[_FACTS] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    write_npz(Path(f"{path}-{epoch:04d}.proof.npz"), arrays)
    return files


def _inputs(trace: Trace, proof: Proving) -> list[NDArray]:
    """Given inputs, or such as were traced, between 0 and 1, the same at each call."""
    if isinstance(proof, bool):
        if not trace.signature:
            raise _no_inputs("the shapes of the inputs are not known, so none can be drawn")
        random = np.random.RandomState(0)
        return [nd.array(random.rand(*s).round(2), dtype=dtype) for s, dtype in trace.signature]
    inputs = [proof] if isinstance(proof, NDArray) else [*proof]
    if len(inputs) != len(trace.inputs) or not all(isinstance(x, NDArray) for x in inputs):
        raise _no_inputs(f"the proof needs {len(trace.inputs)} arrays, one for each input")
    return inputs


def _no_inputs(gist: str) -> CallError:
    return CallError(describe(gist, where="export", hint="proof=(x, …), arrays to compute with"))


def _computed(graph: Graph, values: Mapping[str, NDArray], inputs: Sequence[str]) -> Values:
    """The arrays of the file: what a graph computes, operator by operator."""
    drawing = [node.title for node in graph.nodes if draws(node, train=False)]
    if drawing:
        raise CallError(
            describe(
                f"{drawing[0]} draws random numbers, so nothing can be proved",
                where="export",
                hint="proof=False",
            )
        )
    results = {name: values[name].asnumpy() for name in inputs}
    stored = {_INPUT + name: array for name, array in results.items()}
    with autograd.pause(train_mode=False):
        for node, arrays in each_result(graph, values):
            for number in range(node.visible_count):
                results[node.entry(number).name] = arrays[number].asnumpy()
    stored |= {_OUTPUT + entry.name: results[entry.name] for entry in graph.outputs}
    return stored | {_SAMPLE + name: sampled(array) for name, array in results.items()}


def read_proof(file: Path) -> Proof:
    """Read a proof.

    Raises
    ------
    FileFormatError
        if it is damaged, of a later version or something else
    """
    arrays = read_npz(file)
    try:
        facts = json.loads(arrays.pop(_FACTS).tobytes())
        if facts["version"] != _VERSION:
            raise ValueError(f"it is of version {facts['version']}, and {_VERSION} is known")
        digests = {str(name): str(digest) for name, digest in facts["digests"].items()}
        limits = float(facts["relative"]), float(facts["absolute"])
        maker = str(facts["gluonic"])
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise FileFormatError(f"{file}: not a proof, or damaged: {error}") from error
    inputs, outputs, samples = (_with_prefix(arrays, kind) for kind in (_INPUT, _OUTPUT, _SAMPLE))
    return Proof(inputs, outputs, samples, digests, *limits, maker)


def _with_prefix(arrays: Values, prefix: str) -> Values:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
