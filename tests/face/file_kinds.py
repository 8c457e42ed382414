"""The kinds of files that gluonic reads: valid ones, ways to damage them, and programs that read them."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import gluon, nd, recordio, sym
from gluonic.gluon.data.vision import CIFAR10, MNIST
from gluonic.gluon.proofs import read_proof
from gluonic.graph.errors import MXNetError
from gluonic.optimizer import Optimizer, get_updater
from gluonic.recordio.framing import MAGIC, framed
from gluonic.tools.array_files import load_arrays, save_arrays
from gluonic.tools.command import CommandError
from tests.beside.mxnet_pickles import as_mxnet_pickles
from tests.face.damage import HalfLoadedError, Kind, mutated, reassembled, restructured
from tests.face.file_kinds_of_data import KINDS_OF_DATA
from tests.face.file_kinds_of_models import KINDS_OF_MODELS
from tests.measured.measure import read

# ------------------------------------------------------------------------------------------ graphs


def graphs(folder: Path) -> list[bytes]:
    """A graph with most of what a file can hold, and the nets of older versions."""
    x = sym.BatchNorm(sym.var("data", shape=(2, 3), lr_mult=2), name="bn")
    x = sym.FullyConnected(sym.LeakyReLU(x, act_type="prelu"), num_hidden=4, name="fc")
    parts = sym.split(sym.cast(x, dtype="float64"), num_outputs=2)
    steps, _ = sym.contrib.foreach(
        lambda row, total: (row * total, total + row), sym.Concat(*parts, dim=1), sym.var("begin")
    )
    text = sym.SoftmaxOutput(steps, name="softmax").tojson()
    older = [
        text.replace('"attrs"', name).replace("10901", version)
        for name, version in (('"attr"', "10200"), ('"param"', "903"))
    ]
    return [one.encode() for one in (text, text, *older)]


def use_graph(folder: Path, data: bytes) -> None:
    """Read a graph and do what a program does with one."""
    net = sym.load_json(data.decode("utf-8", "surrogateescape"))
    net.list_arguments()
    net.list_auxiliary_states()
    net.attr_dict()
    net.tojson()
    shapes = dict.fromkeys(net.list_inputs()[:1], (2, 3))
    net.infer_shape_partial(**shapes)
    net.infer_type(**dict.fromkeys(shapes, "float32"))


def run_graph(folder: Path, data: bytes) -> None:
    """Read a graph and compute it."""
    net = sym.load_json(data.decode("utf-8", "surrogateescape"))
    shapes: dict[str, Any] = {name: (2, 3) for name in net.list_inputs() if name == "data"}
    executor = net.simple_bind(mx.cpu(), grad_req="null", **shapes)
    executor.forward(is_train=False)


# -------------------------------------------------------------------------------------- parameters


def parameters(folder: Path) -> list[bytes]:
    """A parameter file with several dtypes and shapes, one without names, and the oldest format."""
    arrays = {
        f"arg:{dtype}": nd.array(np.arange(6).reshape(2, 3), dtype=dtype)
        for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8")
    }
    arrays["aux:empty"] = nd.zeros((0, 3))
    file = str(folder / "whole.params")
    found = []
    for saved in (arrays, list(arrays.values())):
        nd.save(file, saved)
        found.append(Path(file).read_bytes())
    oldest = [0x112, 0, 1], [1, 2, 1, 0, 0], [0x40000000, 0x40400000], [1, 1]
    longs, ints, floats, names = (np.array(part) for part in oldest)
    pieces = longs.astype("<u8"), ints.astype("<u4"), floats.astype("<u4"), names.astype("<u8")
    return [*found, b"".join(piece.tobytes() for piece in pieces) + b"w"]


def use_parameters(folder: Path, data: bytes) -> None:
    """Load arrays, from a file and from memory."""
    file = folder / "damaged.params"
    file.write_bytes(data)
    nd.load(str(file))
    nd.load_frombuffer(data)


def sparse_parameters(folder: Path) -> list[bytes]:
    """Parameter files with sparse arrays of several dtypes, some of which store nothing."""
    file = str(folder / "whole.params")
    matrix = nd.array([[0, 1.5, 0], [0, 0, 0], [2, 0, 3]])
    found = []
    for dtype in ("float32", "float16", "int64"):
        kinds = [matrix.astype(dtype).tostype(kind) for kind in ("csr", "row_sparse", "default")]
        empty = [nd.sparse.zeros(kind, (2, 3)) for kind in ("csr", "row_sparse")]
        nd.save(file, {str(number): x for number, x in enumerate([*kinds, *empty])})
        found.append(Path(file).read_bytes())
    return found


def use_sparse_parameters(folder: Path, data: bytes) -> None:
    """Load arrays and compute with those that are sparse."""
    loaded = nd.load_frombuffer(data)
    for x in loaded.values() if isinstance(loaded, dict) else loaded:
        if x.stype == "default" or max(x.shape) > 10_000:
            continue
        y = x + x
        y.copyto(nd.zeros(y.shape, dtype=y.dtype))
        nd.sparse.square(y).norm()
        if x.stype == "csr" and x.dtype == np.float32:
            nd.dot(x, nd.ones((x.shape[1], 2)))
            nd.dot(x, nd.ones((x.shape[0], 2)), transpose_a=True).asnumpy()


def _net() -> Any:
    net = gluon.nn.HybridSequential(prefix="net_")
    net.add(
        gluon.nn.Dense(3, in_units=2, prefix="a_"), gluon.nn.BatchNorm(in_channels=3, prefix="b_")
    )
    net.initialize()
    return net


def of_blocks(folder: Path) -> list[bytes]:
    """The parameters of a block, by structure and by full names."""
    net, found = _net(), []
    file = str(folder / "block.params")
    for save in (net.save_parameters, net.collect_params().save):
        save(file)
        found.append(Path(file).read_bytes())
    return found


_NET: list[Any] = []


def use_in_block(folder: Path, data: bytes) -> None:
    """Load parameters into a block; if they are refused, it is as it was."""
    if not _NET:
        _NET.append(_net())
    values = _NET[0].collect_params().values()
    before = [(p.data(), p.data().asnumpy()) for p in values]
    file = folder / "damaged.params"
    file.write_bytes(data)
    try:
        _NET[0].load_parameters(str(file))
    except MXNetError:
        for p, (array, elements) in zip(values, before, strict=True):
            if p.data() is not array or not np.array_equal(
                array.asnumpy(), elements, equal_nan=True
            ):
                raise HalfLoadedError(p.name) from None
        raise
    _NET.clear()


# --------------------------------------------------------------------------- graphs with parameters


def checkpoints(folder: Path) -> list[bytes]:
    """Checkpoints: the graph, a mark, the parameters."""
    (text, *_), (values, *_) = graphs(folder), parameters(folder)
    return [text + _MARK + values]


_MARK = b"\n----\n"


def use_checkpoint(folder: Path, data: bytes) -> None:
    """Import a graph with its parameters, as a block and as a checkpoint."""
    text, _, values = data.partition(_MARK)
    (folder / "net-symbol.json").write_bytes(text)
    (folder / "net-0000.params").write_bytes(values)
    files = str(folder / "net-symbol.json"), ["data", "begin"], str(folder / "net-0000.params")
    gluon.SymbolBlock.imports(*files, allow_missing=True, ignore_extra=True)
    mx.model.load_checkpoint(str(folder / "net"), 0)


# ------------------------------------------------------------------------------------------ states

_SHAPE = (2, 3)


def _updater(name: str, dtype: str) -> Any:
    optimizer = mx.optimizer.create(name, multi_precision=dtype == "float16")
    optimizer.lr_scheduler = mx.lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.1)
    return get_updater(optimizer)


def _update(updater: Any, dtype: str) -> None:
    updater(0, nd.ones(_SHAPE, dtype=dtype), nd.ones(_SHAPE, dtype=dtype))


def states(folder: Path) -> list[bytes]:
    """States of all optimizers, with and without them, of MXNet, of Python 2, of both NumPys."""
    found = []
    for name in sorted(Optimizer.opt_registry):
        for dtype in ("float32", "float16"):
            updater = _updater(name, dtype)
            _update(updater, dtype)
            found += [updater.get_states(dump_optimizer=whole) for whole in (False, True)]
            vars(updater.optimizer)["extra"] = [
                np.arange(3),
                np.float32(2),
                np.dtype("f4"),
                {1: "a"},
            ]
            for protocol in (0, 2, 5):
                saved = as_mxnet_pickles((updater.states, updater.optimizer), protocol)
                found.append(saved)
                if protocol == 2:  # no lengths are written before names
                    found.append(saved.replace(b"numpy._core.", b"numpy.core."))
    for case, saved in read("optimizers").items():
        if case.startswith("saved "):
            found += [base64.b64decode(saved[kind]) for kind in ("states", "with optimizer")]
    return found


def use_states(folder: Path, data: bytes) -> None:
    """Load states into an updater and go on; if they are refused, it is as it was."""
    updater = _updater("adam", "float32")
    _update(updater, "float32")
    before = dict(vars(updater)), dict(updater.states), dict(vars(updater.optimizer))
    try:
        updater.set_states(data)
    except MXNetError:
        if before != (vars(updater), updater.states, vars(updater.optimizer)):
            raise HalfLoadedError(repr(vars(updater))) from None
        raise
    for dtype in ("float32", "float16"):
        updater.set_states(data)  # of what one parameter has, nothing is left for the next
        with suppress(MXNetError, ArithmeticError), warnings.catch_warnings():
            # of another shape; or a number that divides by zero; float16 may be warned of
            warnings.simplefilter("ignore")
            _update(updater, dtype)


# ------------------------------------------------------------------------------------ data of sets


def digits(folder: Path) -> list[bytes]:
    """Images in the format of the MNIST set, as they are and compressed."""
    content = bytes((0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28)) + bytes(2 * 28 * 28)
    return [content, gzip.compress(content, mtime=0)]


def use_digits(folder: Path, data: bytes) -> None:
    """Read images by way of the iterator and of the data set."""
    compressed = data[:1] == b"\x1f"
    root = folder / ("gz" if compressed else "plain")
    root.mkdir(exist_ok=True)
    ending = ".gz" if compressed else ""
    labels = bytes((0, 0, 8, 1, 0, 0, 0, 2, 3, 4))
    images = root / f"train-images-idx3-ubyte{ending}"
    images.write_bytes(data)
    (root / "train-labels-idx1-ubyte").write_bytes(labels)
    for read_it in (
        lambda: MNIST(str(root)),
        lambda: mx.io.MNISTIter(str(images), str(root / "train-labels-idx1-ubyte"), batch_size=1),
    ):
        with suppress(MXNetError):
            read_it()


def photographs(folder: Path) -> list[bytes]:
    """Images in the format of the CIFAR set, as they are and in an archive."""
    content = bytes(2 * 3073)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for number in range(1, 6):
            member = tarfile.TarInfo(f"cifar-10-batches-bin/data_batch_{number}.bin")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return [content, stream.getvalue()]


def use_photographs(folder: Path, data: bytes) -> None:
    """Read images by way of the data set."""
    packed = data[:1] == b"\x1f"
    root = folder / ("tar" if packed else "bin")
    root.mkdir(exist_ok=True)
    names = ["cifar-10-binary.tar.gz"] if packed else [f"data_batch_{i}.bin" for i in range(1, 6)]
    for name in names:
        (root / name).write_bytes(data)
    CIFAR10(str(root))


def tables(folder: Path) -> list[bytes]:
    """Comma separated numbers."""
    return [b"1,2,3\n4,5,6.5\n-1e3,nan,0\n"]


def use_table(folder: Path, data: bytes) -> None:
    """Read numbers by way of the iterator."""
    file = folder / "damaged.csv"
    file.write_bytes(data)
    for batch in mx.io.CSVIter(str(file), (3,), batch_size=2):
        assert batch.data[0].shape == (2, 3)


# ----------------------------------------------------------------------------------------- records


def _image(shape: tuple[int, ...], ending: str) -> bytes:
    image = (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)
    return recordio.pack_img((0, [1.0, 2.0], 3, 0), image, 9, ending)


def records(folder: Path) -> list[bytes]:
    """Files of records: images, short ones, some that are written in parts."""
    found, path = [], folder / "whole.rec"
    images = [_image(shape, end) for shape in ((9, 8, 3), (7, 6)) for end in (".jpg", ".png")]
    for contents in (images, [b"", b"abc", MAGIC, b"abcd" + MAGIC * 2 + b"x"]):
        writer = recordio.MXRecordIO(str(path), "w")
        for content in contents:
            writer.write(content)
        writer.close()
        found.append(path.read_bytes())
    return found


def use_records(folder: Path, data: bytes) -> None:
    """Read all records, and the images in them."""
    path = folder / "damaged.rec"
    path.write_bytes(data)
    reader = recordio.MXRecordIO(str(path), "r")
    with suppress(MXNetError):
        while (record := reader.read()) is not None:
            with suppress(MXNetError):
                recordio.unpack_img(record)
    with suppress(MXNetError, StopIteration):  # records without images are refused
        batches = mx.io.ImageRecordIter(
            path_imgrec=str(path), data_shape=(3, 5, 5), batch_size=2, label_width=2
        )
        for _ in range(3):
            batches.next()


def objects(folder: Path) -> list[bytes]:
    """A file of images with objects."""
    path = folder / "objects.rec"
    writer = recordio.MXRecordIO(str(path), "w")
    image = (np.arange(9 * 8 * 3) % 251).astype(np.uint8).reshape(9, 8, 3)
    for count in (1, 2):
        label = [2, 5, *[1, 0.1, 0.2, 0.6, 0.7] * count]
        writer.write(recordio.pack_img((0, label, count, 0), image, 9, ".png"))
    writer.close()
    return [path.read_bytes()]


def use_objects(folder: Path, data: bytes) -> None:
    """Read images with objects, and parts of them."""
    path = folder / "damaged-objects.rec"
    path.write_bytes(data)
    batches = mx.io.ImageDetRecordIter(
        path_imgrec=str(path),
        data_shape=(3, 5, 5),
        batch_size=1,
        rand_crop_prob=1,
        rand_mirror_prob=0.5,
    )
    for _ in range(3):
        with suppress(StopIteration):
            batches.next()


def indices(folder: Path) -> list[bytes]:
    """An index of records."""
    return [b"0\t0\n1\t16\n7\t32\n"]


def use_index(folder: Path, data: bytes) -> None:
    """Read the records that an index names."""
    index, path = folder / "damaged.idx", folder / "indexed.rec"
    index.write_bytes(data)
    path.write_bytes(b"".join(map(framed, (b"1234", b"5678", b"abcd"))))
    reader = recordio.MXIndexedRecordIO(str(index), str(path), "r")
    for key in reader.keys:
        with suppress(MXNetError):
            reader.read_idx(key)


def sparse_rows(folder: Path) -> list[bytes]:
    """Rows in the format of LIBSVM."""
    return [b"1.0 0:0.5 2:1.2\n-2.0\n-3 0:0.6 1:2.4 # three\n"]


def use_sparse_rows(folder: Path, data: bytes) -> None:
    """Read rows by way of the iterator."""
    file = folder / "damaged.t"
    file.write_bytes(data)
    for batch in mx.io.LibSVMIter(str(file), (3,), batch_size=1):
        assert batch.data[0].shape == (1, 3)


# ------------------------------------------------------------------------------ files of other libraries


def _named_arrays() -> dict[str, mx.nd.NDArray]:
    kinds = ("float32", "float16", "int64", "uint8")
    arrays = {f"arg:{kind}": nd.array(np.arange(6).reshape(2, 3), dtype=kind) for kind in kinds}
    return {**arrays, "empty": nd.zeros((0, 2))}


def numpys(folder: Path) -> list[bytes]:
    """Files of NumPy: several arrays, compressed ones, and one alone."""
    found = []
    save_arrays(folder / "whole.npz", _named_arrays())
    np.savez_compressed(folder / "packed.npz", a=np.arange(300.0), b=np.float32(1))
    for name in ("whole.npz", "packed.npz"):
        found.append((folder / name).read_bytes())
    np.save(folder / "one.npy", np.asfortranarray(np.arange(6.0).reshape(2, 3)))
    return [*found, (folder / "one.npy").read_bytes()]


def use_numpys(folder: Path, data: bytes) -> None:
    """Load the arrays of a file of NumPy."""
    _load_arrays(folder / "damaged.npz", data)


def safetensors(folder: Path) -> list[bytes]:
    """A file of safetensors."""
    save_arrays(folder / "whole.safetensors", _named_arrays())
    return [(folder / "whole.safetensors").read_bytes()]


def use_safetensors(folder: Path, data: bytes) -> None:
    """Load the arrays of a file of safetensors."""
    _load_arrays(folder / "damaged.safetensors", data)


def _load_arrays(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with suppress(CommandError):  # what is damaged may look like something else
        load_arrays(file)


def proofs(folder: Path) -> list[bytes]:
    """What a block computes."""
    net = _net()
    net.hybridize()
    net(nd.ones((1, 2)))
    net.export(str(folder / "net"), proof=True)
    return [(folder / "net-0000.proof.npz").read_bytes()]


def use_proof(folder: Path, data: bytes) -> None:
    """Read a proof."""
    (folder / "damaged.proof.npz").write_bytes(data)
    read_proof(folder / "damaged.proof.npz")


KINDS = {
    "graph": Kind(graphs, (mutated, restructured), use_graph),
    "run": Kind(graphs, (restructured, lambda data, draw: data), run_graph),
    "parameters": Kind(parameters, (mutated,), use_parameters),
    "sparse": Kind(sparse_parameters, (mutated,), use_sparse_parameters),
    "block": Kind(of_blocks, (mutated,), use_in_block),
    "checkpoint": Kind(checkpoints, (mutated,), use_checkpoint),
    "states": Kind(states, (mutated, reassembled), use_states),
    "digits": Kind(digits, (mutated,), use_digits),
    "photographs": Kind(photographs, (mutated,), use_photographs),
    "records": Kind(records, (mutated,), use_records),
    "objects": Kind(objects, (mutated,), use_objects),
    "index": Kind(indices, (mutated,), use_index),
    "sparse rows": Kind(sparse_rows, (mutated,), use_sparse_rows),
    "table": Kind(tables, (mutated,), use_table),
    "numpy": Kind(numpys, (mutated,), use_numpys),
    "safetensors": Kind(safetensors, (mutated,), use_safetensors),
    "proof": Kind(proofs, (mutated,), use_proof),
    **KINDS_OF_DATA,
    **KINDS_OF_MODELS,
}
