"""Small files that stand in for those that the programs of «Dive into Deep Learning» download."""

import gzip
import io
import random
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

_WORDS = [first + last for first in "bcdfglmnprst" for last in ("a", "e", "i", "on", "ur", "ake")]


class LackingDataError(Exception):
    """A program wants a file for which there is no substitute."""


def _sentence(words: int) -> str:
    return " ".join(random.choices(_WORDS, k=words))


def _lines(count: int, words: int) -> str:
    return "".join(f"{_sentence(words)} . {_sentence(words)} .\n" for _ in range(count))


def _table(rows: int, columns: int) -> str:
    numbers = np.random.RandomState(0).rand(rows, columns)
    return "".join("\t".join(f"{x:.4f}" for x in row) + "\n" for row in numbers)


def _zip(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return stream.getvalue()


def _tar(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return stream.getvalue()


def _houses(*, with_prices: bool) -> str:
    columns = ["Id", "MSSubClass", "MSZoning", "LotArea", "Street", "YrSold"]
    rows = []
    for i in range(200):
        row = [i, 20 + i % 5, "RL" if i % 3 else "RM", 8000 + i, "Pave", 2006 + i % 4]
        rows.append(row + [150_000 + 100 * i] * with_prices)
    table: list[list[Any]] = [columns + ["SalePrice"] * with_prices, *rows]
    return "".join(",".join(map(str, row)) + "\n" for row in table)


def _translations() -> str:
    return "".join(f"{_sentence(3)}.\t{_sentence(4)} !\n" for _ in range(800))


def _inferences() -> str:
    labels = ("entailment", "contradiction", "neutral")
    rows = (f"{labels[i % 3]}\t( {_sentence(6)} )\t( {_sentence(5)} )\n" for i in range(300))
    return "label\tone\ttwo\n" + "".join(rows)


def _ratings() -> str:
    rows = ((1 + i % 30, 1 + i * 7 % 50, 1 + i % 5, 1000 + i) for i in range(1500))
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


def _vectors(size: int) -> str:
    numbers = np.random.RandomState(size).rand(len(_WORDS), size)
    rows = zip(_WORDS, numbers, strict=True)
    return "".join(f"{word} {' '.join(f'{x:.3f}' for x in row)}\n" for word, row in rows)


def _reviews() -> bytes:
    places = [f"aclImdb/{part}/{label}/{i}.txt" for part in ("train", "test") for label in ("pos", "neg")
              for i in range(20)]  # fmt: skip
    return _tar({place: _sentence(60) for place in places})


_FILES: dict[str, Callable[[], str | bytes]] = {
    "timemachine.txt": lambda: _lines(600, 8),
    "fra-eng.zip": lambda: _zip({"fra-eng/fra.txt": _translations()}),
    "airfoil_self_noise.dat": lambda: _table(1503, 6),
    "kaggle_house_pred_train.csv": lambda: _houses(with_prices=True),
    "kaggle_house_pred_test.csv": lambda: _houses(with_prices=False),
    "ptb.zip": lambda: _zip(
        {f"ptb/ptb.{p}.txt": _lines(200, 10) for p in ("train", "valid", "test")}
    ),
    "wikitext-2-v1.zip": lambda: _zip(
        {f"wikitext-2/wiki.{p}.tokens": _lines(200, 8) for p in ("train", "valid", "test")}
    ),
    "aclImdb_v1.tar.gz": _reviews,
    "snli_1.0.zip": lambda: _zip(
        {f"snli_1.0/snli_1.0_{p}.txt": _inferences() for p in ("train", "test")}
    ),
    "glove.6B.50d.zip": lambda: _zip({"glove.6B.50d/vec.txt": _vectors(50)}),
    "glove.6B.100d.zip": lambda: _zip({"glove.6B.100d/vec.txt": _vectors(100)}),
    "ml-100k.zip": lambda: _zip({"ml-100k/u.data": _ratings()}),
}


class _Response:
    """What `requests.get` returns, as far as the book's programs look."""

    def __init__(self, content: bytes) -> None:
        self.content = content


def _get(url: str, *_: Any, **__: Any) -> _Response:
    make = _FILES.get(url.rpartition("/")[2])
    if make is None:
        raise LackingDataError(url)
    content = make()
    return _Response(content.encode() if isinstance(content, str) else content)


def write_images(folder: Path) -> None:
    """Write files with few random images as MNIST's and Fashion-MNIST's, where gluonic looks for them."""
    folder.mkdir(parents=True)
    numbers = np.random.RandomState(0)
    for part, count in (("train", 256), ("t10k", 64)):
        images = numbers.randint(0, 256, (count, 28, 28), np.uint8)
        labels = (np.arange(count) % 10).astype(np.uint8)
        for name, array in ((f"{part}-images-idx3", images), (f"{part}-labels-idx1", labels)):
            head = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
            (folder / f"{name}-ubyte.gz").write_bytes(gzip.compress(head + array.tobytes()))


def install() -> None:
    """Answer downloads of this process with the files above, and restore a keyword of matplotlib's."""
    import requests
    from matplotlib import pyplot as plt

    random.seed(0)
    vars(requests).update(get=_get)
    stem = plt.stem
    plt.stem = lambda *args, use_line_collection=True, **keywords: stem(*args, **keywords)
