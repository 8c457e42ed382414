"""A library has few kinds of machine code, and the same on every machine."""

from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic.codegen.machine.target import compiling_for, processor, without_blas
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.variants import BatchedInputs, find_variants
from tests.codegen.library.nets import exported, made

KINDS = {"layers": 1, "digits": 1, "encoder": 1, "mobilenet": 1, "resnet": 2}
"""The most kinds of machine code for batches of 1 to 64; few large images have convolutions of their own."""


@pytest.mark.parametrize("name", KINDS)
def test_few_kinds_of_code_serve_all_batch_sizes(name: str) -> None:
    net, sample = made(name)
    graph = net(mx.sym.var("data")).graph()
    (data,) = sample(2)
    known = net.collect_params()
    arrays, axes = [], []
    for node in graph.variables:
        weight = known[node.name].data() if node.name in known else None
        arrays.append(
            AbstractArray(data.shape if weight is None else weight.shape, np.dtype("float32"))
        )
        axes.append(0 if weight is None else None)
    parameters = {node for node in graph.variables if node.name in known}
    batches = BatchedInputs(arrays, axes)
    with compiling_for(without_blas(processor("x86-64-v3"))):
        variants = find_variants(graph, graph.variables, parameters, batches, 64)
    assert len(variants) <= KINDS[name], [(v.size, v.only) for v in variants]
    sizes = np.arange(1, 65)
    assert np.any([variant.served(sizes) for variant in variants], axis=0).all()


@pytest.mark.parametrize("name", ["mobilenet", "encoder"])
def test_the_number_of_threads_here_changes_no_byte(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = []
    for threads in ("1", "2"):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", threads)
        net, sample = made(name)
        files = exported(net, sample, tmp_path / f"{name}.o", cpu="x86-64-v3")
        images.append(files.library.read_bytes())
    assert images[0] == images[1]
