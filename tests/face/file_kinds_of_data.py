"""Kinds of files with data: images, lists of them, archives, word vectors; and files of this machine's own."""

from __future__ import annotations

import bz2
import contextlib
import hashlib
import io
import os
import random
import tarfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.__main__ import main
from gluonic.codegen.machine import cache
from gluonic.contrib.text.embedding import CustomEmbedding
from gluonic.contrib.text.vocab import Vocabulary
from gluonic.gluon.contrib.data.text import WikiText2
from gluonic.gluon.data.vision import CIFAR100, ImageListDataset, ImageRecordDataset
from gluonic.gluon.model_zoo import model_store
from gluonic.graph import archives
from gluonic.graph.errors import MXNetError
from gluonic.graph.image_files import encode
from gluonic.io.image_batches import read_labels
from gluonic.ndarray.serialization import dump_array
from gluonic.recordio.framing import framed
from gluonic.test_utils import datasets
from gluonic.tools.image_lists import read_list
from tests.face.damage import HalfLoadedError, Kind, mutated

_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_PIXELS = (np.arange(9 * 8 * 3) % 251).astype(np.uint8).reshape(9, 8, 3)


def _zipped(name: str, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("a folder/", b"")
        archive.writestr(name, content)
    return stream.getvalue()


# ------------------------------------------------------------------------------------------ images


def images(folder: Path) -> list[bytes]:
    """Images in all formats that can be written."""
    found = [encode(_PIXELS, 9, ending) for ending in (".jpg", ".png")]
    for ending in (".bmp", ".tiff", ".webp", ".ppm", ".gif", ".sr", ".pam", ".avif"):
        with suppress(MXNetError):  # not every build of OpenCV has them all
            found.append(encode(_PIXELS, 9, ending))
    return [*found, encode(_PIXELS[:, :, 0], 9, ".png"), encode(_PIXELS[:, :, 0], 9, ".pgm")]


def use_image(folder: Path, data: bytes) -> None:
    """Decode an image in all ways."""
    path = folder / "damaged.image"
    path.write_bytes(data)
    for flag in (0, -1):
        with suppress(MXNetError):
            mx.image.imdecode(data, flag)
    assert mx.image.imread(str(path)).shape[2] == 3


def lists(folder: Path) -> list[bytes]:
    """Lists of images with one label and with several."""
    (folder / "a.png").write_bytes(encode(_PIXELS, 9, ".png"))
    return [b"0\t1\ta.png\n7\t2.5\ta.png\n", b"1\t0\t1e3\ta.png\n3\t-1\t2\ta.png\n"]


def use_list(folder: Path, data: bytes) -> None:
    """Read a list by way of all that read one."""
    path = folder / "damaged.lst"
    path.write_bytes(data)
    names: dict[str, Any] = {"path_imglist": str(path), "path_root": str(folder)}
    width = 2 if b"\t0\t1e3" in data else 1
    for read in (
        lambda: mx.image.ImageIter(1, (3, 5, 5), label_width=width, **names).next(),
        lambda: read_labels(str(path)),
        lambda: list(ImageListDataset(str(folder), path.name)),
    ):
        with suppress(MXNetError, StopIteration):
            read()
    [*read_list(str(path))]


def object_lists(folder: Path) -> list[bytes]:
    """Lists of images with objects."""
    (folder / "a.png").write_bytes(encode(_PIXELS, 9, ".png"))
    row = b"%d\t2\t5\t1\t0.1\t0.2\t0.6\t0.7\t3\t0\t0\t1\t0.5\ta.png\n"
    return [b"".join(row % number for number in (0, 5))]


def use_object_list(folder: Path, data: bytes) -> None:
    """Read images with objects by way of the iterator in Python."""
    path = folder / "damaged-objects.lst"
    path.write_bytes(data)
    batches = mx.image.ImageDetIter(1, (3, 5, 5), path_imglist=str(path), path_root=str(folder))
    with suppress(StopIteration):
        batches.next()


def indexed(folder: Path) -> list[bytes]:
    """The index of a file of images."""
    header = mx.recordio.IRHeader(0, 1.0, 0, 0)
    records = [framed(mx.recordio.pack_img(header, _PIXELS, 9, end)) for end in (".jpg", ".png")]
    (folder / "images.rec").write_bytes(b"".join(records))
    return [b"0\t0\n1\t%d\n" % len(records[0])]


def use_indexed(folder: Path, data: bytes) -> None:
    """Read images by their index, by way of the data set and of the iterator."""
    index, records = folder / "images.idx", folder / "images.rec"
    index.write_bytes(data)
    batches = mx.io.ImageRecordIter(
        path_imgrec=str(records), path_imgidx=str(index), data_shape=(3, 5, 5), batch_size=1
    )
    for _ in range(2):
        with suppress(StopIteration):
            batches.next()
    images = ImageRecordDataset(str(records))
    [images[number] for number in range(len(images))]


# -------------------------------------------------------------------------------- words and archives


def vectors(folder: Path) -> list[bytes]:
    """Word vectors, with and without the unknown word and a header."""
    rows = b"hello 0.1 0.2 -3\nworld 1 2e-3 nan\n\xc3\xa9t\xc3\xa9 0 0 0\n"
    return [rows, b"3 3\n" + rows, b"<unk> 9 9 9\n" + rows]


def use_vectors(folder: Path, data: bytes) -> None:
    """Read vectors and look words up."""
    path = folder / "damaged.vec"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CustomEmbedding(str(path), vocabulary=Vocabulary(Counter(["hello", "other"])))
    found.get_vecs_by_tokens(["hello", "other", "world"], lower_case_backup=True)


def packed_vectors(folder: Path) -> list[bytes]:
    """Vectors in archives of all compressions."""
    return [_zipped("tiny.vec", vectors(folder)[0] * 5, kind) for kind in _COMPRESSIONS]


def use_packed_vectors(folder: Path, data: bytes) -> None:
    """Unpack vectors and read them."""
    archive, target = folder / "damaged.zip", folder / "unpacked.vec"
    archive.write_bytes(data)
    archives.unpack_from_zip(archive, "tiny.vec", str(target), str(archive))
    use_vectors(folder, target.read_bytes())


def articles(folder: Path) -> list[bytes]:
    """The text of a data set, in an archive and alone."""
    text = b" = Title = \n one two <unk> three \n\n" * 20
    return [text, _zipped("wikitext-2/wiki.train.tokens", text)]


def use_articles(folder: Path, data: bytes) -> None:
    """Read a text by way of the data set."""
    is_packed = data[:2] == b"PK"
    root = folder / ("zip" if is_packed else "text")
    root.mkdir(exist_ok=True)
    (root / ("wikitext-2-v1.zip" if is_packed else "wiki.train.tokens")).write_bytes(data)
    for sample in WikiText2(str(root), seq_len=5):
        assert sample[0].shape == (5,)


def models(folder: Path) -> list[bytes]:
    """The archive of a model, as a repository has it."""
    file = folder / "model.params"
    nd.save(str(file), {"weight": nd.ones((2, 3))})
    digest = hashlib.sha1(file.read_bytes()).hexdigest()
    (folder / "digest").write_text(digest)
    return [_zipped(f"tiny-{digest[:8]}.params", file.read_bytes(), kind) for kind in _COMPRESSIONS]


def use_model(folder: Path, data: bytes) -> None:
    """Fetch a model from a repository."""
    digest = (folder / "digest").read_text()
    place = folder / "repository" / "gluon" / "models" / f"tiny-{digest[:8]}.zip"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    (folder / f"tiny-{digest[:8]}.params").unlink(missing_ok=True)
    environment = {"MXNET_GLUON_REPO": (folder / "repository").as_uri()}
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.dict(model_store._model_sha1, {"tiny": digest}),
    ):
        nd.load(model_store.get_model_file("tiny", str(folder)))


def examples(folder: Path) -> list[bytes]:
    """Archives of MXNet's examples."""
    return [_zipped("data/file.txt", b"text\n" * 9), bz2.compress(b"text\n" * 99)]


def use_example(folder: Path, data: bytes) -> None:
    """Unpack an archive of an example, as if it had just been downloaded."""
    root = folder / "examples"
    root.mkdir(exist_ok=True)
    name = "given.zip" if data[:2] == b"PK" else "given.bz2"
    for leftover in (name, "text"):
        (root / leftover).unlink(missing_ok=True)

    def download(*_: Any, **__: Any) -> None:
        (root / name).write_bytes(data)

    with mock.patch.object(datasets, "download", download):
        if name == "given.zip":
            datasets.get_zip_data(str(root), f"http://nowhere/{name}", name)
        else:
            datasets.get_bz2_data(str(root), "text", f"http://nowhere/{name}", name)


def tarred(folder: Path) -> list[bytes]:
    """The images of a data set in archives that are not compressed, with all kinds of headers."""
    found = []
    for kind in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=kind) as archive:
            for name in ("f" * 120 if kind != tarfile.USTAR_FORMAT else "f", "train.bin"):
                member = tarfile.TarInfo(f"cifar-100-binary/{name}")
                member.size = 2 * 3074
                archive.addfile(member, io.BytesIO(bytes(member.size)))
        found.append(stream.getvalue())
    return found


def use_tarred(folder: Path, data: bytes) -> None:
    """Read images by way of the data set."""
    root = folder / "tarred"
    root.mkdir(exist_ok=True)
    (root / "cifar-100-binary.tar.gz").write_bytes(data)
    CIFAR100(str(root))


def _mutated_headers(data: bytes, draw: random.Random) -> bytes:
    """Damage one of the first blocks, for most of an archive is pixels; digits of numbers too."""
    at = draw.choice([*range(0, 3072, 512)])
    block = mutated(data[at : at + 512], draw)
    if draw.randrange(2):  # the checksum is right
        block = block[:512].ljust(512, b"\0")
        number = 256 + sum(block[:148]) + sum(block[156:])
        block = block[:148] + b"%06o\0 " % number + block[156:]
    return data[:at] + block + data[at + 512 :]


# ------------------------------------------------------------------------- training, and this machine


def _trainer() -> Any:
    net = gluon.nn.Dense(3, in_units=2, prefix="net_")
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "adam", update_on_kvstore=False)
    with mx.autograd.record():
        loss = net(nd.ones((1, 2)))
    loss.backward()
    trainer.step(1)
    return trainer


def trained(folder: Path) -> list[bytes]:
    """The states of a trainer."""
    _trainer().save_states(str(folder / "whole.states"))
    return [(folder / "whole.states").read_bytes()]


_TRAINER: list[Any] = []


def use_trained(folder: Path, data: bytes) -> None:
    """Load states into a trainer; if they are refused, it is as it was."""
    if not _TRAINER:
        _TRAINER.append(_trainer())
    updater = _TRAINER[0]._updaters[0]
    path = folder / "damaged.states"
    path.write_bytes(data)
    before = dict(updater.states), dict(vars(updater.optimizer))
    try:
        _TRAINER[0].load_states(str(path))
    except MXNetError:
        if before != (updater.states, vars(updater.optimizer)):
            raise HalfLoadedError(repr(vars(updater))) from None
        raise
    _TRAINER.clear()


def _of_module() -> Any:
    data = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    return sym.BatchNorm(data, name="bn")


def modules(folder: Path) -> list[bytes]:
    """The parameters of a module."""
    arrays = {"arg:fc_weight": nd.ones((2, 3)), "arg:fc_bias": nd.zeros(2)}
    arrays |= {f"{kind}:bn_{name}": nd.ones(2) for kind, name in _OF_BN}
    nd.save(str(folder / "module.params"), arrays)
    return [(folder / "module.params").read_bytes()]


_OF_BN = (("arg", "gamma"), ("arg", "beta"), ("aux", "moving_mean"), ("aux", "moving_var"))


def use_module(folder: Path, data: bytes) -> None:
    """Load a module and compute."""
    _of_module().save(str(folder / "m-symbol.json"))
    (folder / "m-0001.params").write_bytes(data)
    module = mx.mod.Module.load(str(folder / "m"), 1, label_names=None)
    module.bind([("data", (2, 3))], for_training=False)
    module.forward(mx.io.DataBatch([nd.ones((2, 3))], None), is_train=False)


def cells(folder: Path) -> list[bytes]:
    """A checkpoint of cells, gate by gate, which those of one step and of whole sequences can read."""
    cell = mx.rnn.LSTMCell(2, prefix="cell_l0_")
    arrays = {"cell_l0_i2h_weight": nd.ones((8, 3)), "cell_l0_i2h_bias": nd.ones(8)}
    arrays |= {"cell_l0_h2h_weight": nd.ones((8, 2)), "cell_l0_h2h_bias": nd.ones(8)}
    outputs, _ = cell.unroll(2, [sym.var("a"), sym.var("b")])
    mx.rnn.save_rnn_checkpoint(cell, str(folder / "rnn"), 0, sym.Group(outputs), arrays, {})
    return [(folder / "rnn-0000.params").read_bytes()]


def use_cells(folder: Path, data: bytes) -> None:
    """Load a checkpoint of cells."""
    whole = folder / "rnn-0000.params"
    whole.write_bytes(data)
    fused = mx.rnn.FusedRNNCell(2, prefix="cell_")
    with suppress(MXNetError):
        mx.rnn.load_rnn_checkpoint(fused, str(folder / "rnn"), 0)
    mx.rnn.load_rnn_checkpoint(mx.rnn.LSTMCell(2, prefix="cell_l0_"), str(folder / "rnn"), 0)


def pickled(folder: Path) -> list[bytes]:
    """Arrays as MXNet's pickles hold them."""
    dense = nd.array(np.arange(6).reshape(2, 3), dtype="float64")
    return [dump_array(x) for x in (dense, *map(nd.ones((2, 3)).tostype, ("csr", "row_sparse")))]


def use_pickled(folder: Path, data: bytes) -> None:
    """Set the state of arrays of all kinds."""
    kinds = [nd.ones(1), nd.sparse.zeros("csr", (2, 2)), nd.sparse.zeros("row_sparse", (2, 2))]
    ends = 0
    for x in kinds:
        with suppress(MXNetError):
            x.__setstate__({"handle": bytearray(data)})
            x.asnumpy()
            ends += 1
    if not ends:
        kinds[0].__setstate__({"handle": data})


def shown(folder: Path) -> list[bytes]:
    """What the commands show: a network, and parameters."""
    nd.save(str(folder / "shown.params"), {"arg:fc_weight": nd.ones((2, 3))})
    return [_of_module().tojson().encode(), (folder / "shown.params").read_bytes()]


class _CommandError(MXNetError):
    """A command reports a failure."""


def use_shown(folder: Path, data: bytes) -> None:
    """Show a file by the commands ``summary`` and ``view``."""
    is_network = data.lstrip()[:1] == b"{"
    path = folder / ("shown.json" if is_network else "shown.params")
    path.write_bytes(data)
    commands: list[Callable[[], int]] = [lambda: main(["summary", str(path)])]
    if is_network:
        commands.append(lambda: main(["view", str(path), "--output", str(folder / "shown.html")]))
    silence = io.StringIO()
    with contextlib.redirect_stderr(silence), contextlib.redirect_stdout(silence):
        statuses = [command() for command in commands]
    if any(statuses):
        raise _CommandError(silence.getvalue())


def entries(folder: Path) -> list[bytes]:
    """Entries of the code cache."""
    with mock.patch.dict(os.environ, {"GLUONIC_CACHE_DIR": str(folder / "cache")}):
        cache.store("a" * 64, bytes(range(200)))
    return [(folder / "cache" / f"{'a' * 64}.object").read_bytes()]


def use_entry(folder: Path, data: bytes) -> None:
    """Read an entry: damaged ones are not there."""
    path = folder / "cache" / f"{'a' * 64}.object"
    path.write_bytes(data)
    with mock.patch.dict(os.environ, {"GLUONIC_CACHE_DIR": str(folder / "cache")}):
        assert cache.read("a" * 64) in (None, bytes(range(200)))


KINDS_OF_DATA = {
    "images": Kind(images, (mutated,), use_image),
    "lists": Kind(lists, (mutated,), use_list),
    "object lists": Kind(object_lists, (mutated,), use_object_list),
    "indexed": Kind(indexed, (mutated,), use_indexed),
    "vectors": Kind(vectors, (mutated,), use_vectors),
    "packed vectors": Kind(packed_vectors, (mutated,), use_packed_vectors),
    "articles": Kind(articles, (mutated,), use_articles),
    "models": Kind(models, (mutated,), use_model),
    "examples": Kind(examples, (mutated,), use_example),
    "tarred": Kind(tarred, (mutated, _mutated_headers), use_tarred),
    "trained": Kind(trained, (mutated,), use_trained),
    "modules": Kind(modules, (mutated,), use_module),
    "cells": Kind(cells, (mutated,), use_cells),
    "pickled": Kind(pickled, (mutated,), use_pickled),
    "shown": Kind(shown, (mutated,), use_shown),
    "entries": Kind(entries, (mutated,), use_entry),
}
