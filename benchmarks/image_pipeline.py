"""Images per second of `ImageRecordIter` and `ImageIter`, on gluonic and MXNet in turn, on the same cores.

usage: python -m benchmarks.image_pipeline [--mxnet PYTHON] [--images 2000] [--rounds 3] [--cores 0,1]

A file of records is made, with JPEGs of 256 by 256 pixels, quality 95. An iterator cuts out 224 by 224 at
random, mirrors half of them and normalizes them, in batches of 64, with as many threads as there are cores.
MXNet's threads of `ImageRecordIter` are either those that are asked for, or OpenMP's (``ctx="cpu"``): both are
measured. `ImageIter` shuffles, and changes colours as well where indicated; threads decode for it, and
operators run in one each. Of each the
best pass counts; the time of all cores together is more reliable where other programs run.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.processes import output_of

_NORMALIZED = {
    "mean_r": 123.68, "mean_g": 116.78, "mean_b": 103.94,
    "std_r": 58.4, "std_g": 57.1, "std_b": 57.4,
}  # fmt: skip
_COLOURS = {"brightness": 0.1, "contrast": 0.1, "saturation": 0.1, "hue": 0.1, "pca_noise": 0.1}
_RECORDS, _IMAGES = "ImageRecordIter", "ImageIter"
_KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "gluonic": ("gluonic", _RECORDS, {"ctx": "gpu"}),
    "MXNet": ("mxnet", _RECORDS, {"ctx": "gpu"}),
    "MXNet, OpenMP": ("mxnet", _RECORDS, {"ctx": "cpu"}),
    "gluonic, ImageIter": ("gluonic", _IMAGES, {}),
    "MXNet, ImageIter": ("mxnet", _IMAGES, {}),
    "gluonic, ImageIter, colours": ("gluonic", _IMAGES, _COLOURS),
    "MXNet, ImageIter, colours": ("mxnet", _IMAGES, _COLOURS),
}


def make_records(path: Path, count: int) -> None:
    """Write a file of records with images that have edges, waves and noise, as photographs have."""
    from gluonic import recordio  # not installed where MXNet is measured

    random = np.random.default_rng(0)
    y, x = np.mgrid[:256, :256]
    record = recordio.MXIndexedRecordIO(str(path.with_suffix(".idx")), str(path), "w")
    for i in range(count):
        waves = [128 + 90 * np.sin(x / (9 + k + i % 7)) * np.cos(y / (17 - k)) for k in range(3)]
        image = np.stack(waves, -1) + random.normal(0, 8, (256, 256, 3))
        left, top = random.integers(0, 200, 2)
        image[top : top + 50, left : left + 50] = random.integers(0, 256, 3)
        header = recordio.IRHeader(0, float(i % 1000), i, 0)
        record.write_idx(i, recordio.pack_img(header, np.clip(image, 0, 255).astype(np.uint8)))
    record.close()


def _image_records(mx: Any, path: str, threads: int, **settings: Any) -> Any:
    return mx.io.ImageRecordIter(
        path_imgrec=path,
        data_shape=(3, 224, 224),
        batch_size=64,
        rand_crop=True,
        rand_mirror=True,
        preprocess_threads=threads,
        verbose=False,
        **_NORMALIZED,
        **settings,
    )


def _images(mx: Any, path: str, threads: int, **settings: Any) -> Any:
    os.environ["MXNET_CPU_WORKER_NTHREADS"] = str(threads)
    return mx.image.ImageIter(
        64,
        (3, 224, 224),
        path_imgrec=path,
        path_imgidx=str(Path(path).with_suffix(".idx")),
        shuffle=True,
        rand_crop=True,
        rand_mirror=True,
        mean=True,
        std=True,
        **settings,
    )


_ITERATORS = {_RECORDS: _image_records, _IMAGES: _images}


def speed(batches: Any, passes: int) -> tuple[float, float]:
    """Images per second, and milliseconds of all cores per image: the best of some passes after a first one."""
    fastest, least = 0.0, np.inf
    for _ in range(passes + 1):
        batches.reset()
        start, spent, count = time.perf_counter(), time.process_time(), 0
        for batch in batches:
            batch.data[0].wait_to_read()
            count += len(batch.data[0])
        fastest = max(fastest, count / (time.perf_counter() - start))
        least = min(least, 1e3 * (time.process_time() - spent) / count)
    return fastest, least


def main() -> None:
    """Measure all cases in turn, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mxnet", default="", help="a Python that has the real MXNet")
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3, help="passes that are measured")
    parser.add_argument("--cores", default="0,1", help="the cores that may be used")
    parser.add_argument("--side", choices=list(_KINDS), help="measure this one here")
    parser.add_argument(
        "--records", help="an existing file, with its index, instead of a generated one"
    )
    options = parser.parse_args()
    cores = {int(core) for core in options.cores.split(",")}
    os.sched_setaffinity(0, cores)
    if options.side:
        package, iterator, settings = _KINDS[options.side]
        mx = __import__(package)
        batches = _ITERATORS[iterator](mx, options.records, len(cores), **settings)
        print(*speed(batches, options.rounds))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.records or str(Path(folder) / "images.rec")
        if not options.records:
            make_records(Path(path), options.images)
        print(
            f"{os.path.getsize(path) / options.images / 1e3:.1f} kB an image, cores {options.cores}"
        )
        for side, (package, iterator, _) in _KINDS.items():
            python = sys.executable if package == "gluonic" else options.mxnet
            if not python:
                continue
            arguments = ["--side", side, "--records", path, "--cores", options.cores]
            arguments += ["--rounds", str(options.rounds)]
            threads = len(cores) if iterator == _RECORDS else 1
            found = output_of(python, __file__, *arguments, threads=threads)
            fastest, least = map(float, found.split()[-2:])
            print(f"{side:28}{fastest:8.0f} images a second{least:8.3f} ms of all cores an image")


if __name__ == "__main__":
    main()
