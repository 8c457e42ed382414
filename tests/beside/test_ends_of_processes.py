"""Threads and processes that prepare data, and those that compute, end before the interpreter does."""

import signal
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from tests.face.commands import command

_RECORDS = "data_shape=(3, 600, 600), batch_size=4, path_imgrec"
_LOADER = "iter(gluon.data.DataLoader(gluon.data.ArrayDataset(list(range(999))), 4, num_workers=2"
ITERATORS = {
    "image records": f"mx.io.ImageRecordIter(preprocess_threads=4, {_RECORDS}=f'{{folder}}/a.rec')",
    "detection records": f"mx.io.ImageDetRecordIter(preprocess_threads=4, {_RECORDS}=f'{{folder}}/b.rec')",
    "images": f"mx.image.ImageIter({_RECORDS}=f'{{folder}}/a.rec')",
    "batches ahead": f"mx.io.PrefetchingIter(mx.io.ImageRecordIter({_RECORDS}=f'{{folder}}/a.rec'))",
    "a loader with threads": f"{_LOADER}, thread_pool=True))",
    "a loader with processes": f"{_LOADER}))",
    "threads of kernels": "map(mx.nd.Activation, [mx.nd.ones((2000, 2000))] * 9, ['tanh'] * 9)",
}
WAYS = {
    "ends": ("", 0),
    "raises an error": ("raise RuntimeError('on purpose')", 1),
    "exits": ("sys.exit(3)", 3),
    "drops it": ("del found", 0),
    "is interrupted": ("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record files of images so large that a program ends while they are decoded."""
    made = tmp_path_factory.mktemp("records")
    image = np.random.default_rng(0).integers(0, 255, (600, 600, 3), np.uint8)
    for name, label in (("a", 1.0), ("b", [2, 5, 0, 0.1, 0.1, 0.9, 0.9])):
        records = mx.recordio.MXRecordIO(str(made / f"{name}.rec"), "w")
        for number in range(64):
            header = mx.recordio.IRHeader(0, label, number, 0)
            records.write(mx.recordio.pack_img(header, image, quality=95))
        records.close()
    return made


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ITERATORS)
def test_a_program_ends_as_it_says_in_the_middle_of_an_epoch(
    folder: Path, kind: str, way: str
) -> None:
    pytest.importorskip("cv2")
    last, expected = WAYS[way]
    program = (
        "import os, signal, sys, threading\nimport gluonic as mx\nfrom gluonic import gluon\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # the parent may ignore it\n"
        f"folder = sys.argv[1]\nfound = {ITERATORS[kind]}\nnext(found)\n"
        f"print('begun', flush=True)\n{last}\n"
    )
    found = command("-c", program, str(folder), GLUONIC_NUM_THREADS="4")
    assert found.stdout == "begun\n", found.stderr
    assert found.returncode == expected, found.stderr
    assert "terminate" not in found.stderr
