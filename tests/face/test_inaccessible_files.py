"""What cannot be opened, read or written, in whatever way it is named, is an error of gluonic."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import gluon, nd, sym
from gluonic.contrib.text.embedding import CustomEmbedding
from gluonic.gluon.contrib.data.text import WikiText2
from gluonic.gluon.data import vision
from gluonic.gluon.model_zoo import model_store
from gluonic.io.image_batches import read_labels
from gluonic.tools.image_lists import read_list

NAMES = {
    "missing": "nowhere/x.so",
    "folder": "folder",
    "long": "a" * 300 + ".so",
    "with a NUL": "a\0b.so",
    "no text": "a\ud800.so",
    "empty": "",
}


def net() -> Any:
    block = gluon.nn.Dense(2, in_units=3)
    block.initialize()
    return block


def trainer(**settings: Any) -> Any:
    return gluon.Trainer(net().collect_params(), "adam", **settings)


def module() -> Any:
    outputs = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2), name="softmax")
    made = mx.mod.Module(outputs)
    made.bind([("data", (2, 3))], [("softmax_label", (2,))])
    made.init_params()
    made.init_optimizer()
    return made


def store() -> Any:
    made = mx.kv.create("local")
    made.set_optimizer(mx.optimizer.SGD())
    return made


IMAGES: dict[str, Any] = {"data_shape": (3, 4, 4), "batch_size": 1}
READERS: dict[str, Callable[[str], Any]] = {
    "arrays": nd.load,
    "symbol": sym.load,
    "block": lambda path: net().load_parameters(path),
    "parameters": lambda path: net().collect_params().load(path),
    "symbol block": lambda path: gluon.SymbolBlock.imports(path, ["data"]),
    "checkpoint": lambda path: mx.model.load_checkpoint(path, 0),
    "trainer with a store": lambda path: trainer(update_on_kvstore=True).load_states(path),
    "trainer": lambda path: trainer(update_on_kvstore=False).load_states(path),
    "module": lambda path: module().load_optimizer_states(path),
    "module's parameters": lambda path: module().load_params(path),
    "store": lambda path: store().load_optimizer_states(path),
    "vectors": CustomEmbedding,
    "labels": read_labels,
    "list": lambda path: [*read_list(path)],
    "list of images": lambda path: mx.image.ImageIter(path_imglist=path, path_root="", **IMAGES),
    "listed image": lambda path: mx.image.ImageIter(
        imglist=[[0, path]], path_root="", **IMAGES
    ).next(),
    "image of a data set": lambda path: vision.ImageListDataset(".", [[0.0, path]])[0],
    "image": mx.image.imread,
    "rows": lambda path: mx.io.LibSVMIter(data_libsvm=path, data_shape=(3,), batch_size=1),
    "table": lambda path: mx.io.CSVIter(path, (3,)),
    "digits": lambda path: mx.io.MNISTIter(path, path),
    "set of digits": vision.MNIST,
    "set of photographs": vision.CIFAR10,
    "folders of images": vision.ImageFolderDataset,
    "articles": WikiText2,
    "model": lambda path: model_store.get_model_file("alexnet", path),
    "records": lambda path: mx.recordio.MXRecordIO(path, "r"),
    "index": lambda path: mx.recordio.MXIndexedRecordIO(path, "empty.rec", "r"),
    "set of records": vision.ImageRecordDataset,
    "images": lambda path: mx.io.ImageRecordIter(path_imgrec=path, **IMAGES),
    "images by an index": lambda path: mx.io.ImageRecordIter(
        path_imgrec="full.rec", path_imgidx=path, **IMAGES
    ),
    "objects": lambda path: mx.io.ImageDetRecordIter(path_imgrec=path, **IMAGES),
    "library": mx.library.load,
}
READ = {
    "folders of images": ("folder", "empty"),
    "images": ("empty",),
    "objects": ("empty",),
    "images by an index": ("empty",),
}
"""What is no file for most readers, but something for these: a folder, the working directory, no index."""
WRITERS: dict[str, Callable[[str], Any]] = {
    "arrays": lambda path: nd.save(path, [nd.ones(1)]),
    "symbol": lambda path: sym.var("x").save(path),
    "block": lambda path: net().save_parameters(path),
    "trainer": lambda path: trainer().save_states(path),
    "module": lambda path: module().save_optimizer_states(path),
    "records": lambda path: mx.recordio.MXRecordIO(path, "w"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, with what is named."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.rec").touch()
    (tmp_path / "full.rec").write_bytes(b"something")


@pytest.mark.filterwarnings("ignore:Ignoring")
@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_an_error_of_gluonic(reader: str) -> None:
    for kind, name in NAMES.items():
        if kind in READ.get(reader, ()):
            continue
        with pytest.raises(mx.MXNetError):
            READERS[reader](name)


@pytest.mark.parametrize("writer", WRITERS)
def test_what_cannot_be_written_is_an_error_of_gluonic(writer: str) -> None:
    for name in NAMES.values():
        with pytest.raises(mx.MXNetError):
            WRITERS[writer](name)
