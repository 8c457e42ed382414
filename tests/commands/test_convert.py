"""``gluonic convert`` and ``gluonic upgrade``."""

import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.errors import FileFormatError
from gluonic.tools.array_files import load_arrays, save_arrays
from gluonic.tools.command import CommandError
from tests.commands.conftest import Line

ENDINGS = ("params", "npz", "safetensors")
DTYPES = ("float32", "float64", "float16", "uint8", "int8", "int32", "int64", "bool")


def same(left: mx.nd.NDArray, right: mx.nd.NDArray) -> bool:
    """Whether arrays have the same shape, dtype and bits."""
    a, b = left.asnumpy(), right.asnumpy()
    return (a.shape, a.dtype, a.tobytes()) == (b.shape, b.dtype, b.tobytes())


@pytest.mark.parametrize("source", ENDINGS)
@pytest.mark.parametrize("target", ENDINGS)
def test_arrays_of_all_dtypes_and_shapes_survive(source: str, target: str, tmp_path: Path) -> None:
    shapes = [(2, 3), (), (0, 4), (5,)]
    random = np.random.RandomState(1)
    arrays = {
        f"arg:{dtype}/{shape}": mx.nd.array(random.rand(*shape) * 9, dtype=dtype)
        for dtype in DTYPES
        for shape in shapes
    }
    arrays["file"] = mx.nd.array([[1, 2, 3], [4, 5, 6]]).T  # np.savez has an argument of this name
    old, new = tmp_path / f"old.{source}", tmp_path / f"new.{target}"
    save_arrays(old, arrays)
    save_arrays(new, load_arrays(old))
    found = load_arrays(new)
    assert found.keys() == arrays.keys()
    assert all(same(found[name], array) for name, array in arrays.items())


def test_other_libraries_read_what_is_written(folder: Path, line: Line) -> None:
    from safetensors.numpy import load_file

    for file in ("net.npz", "net.safetensors"):
        assert line("convert", "net-0000.params", file).returncode == 0
    by_numpy, by_safetensors = np.load(folder / "net.npz"), load_file(folder / "net.safetensors")
    for name, array in mx.nd.load(str(folder / "net-0000.params")).items():
        assert np.array_equal(by_numpy[name], array.asnumpy())
        assert np.array_equal(by_safetensors[name], array.asnumpy())


def test_what_other_libraries_write_is_read(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "n": np.array(3)}
    save_file(arrays, tmp_path / "a.safetensors")
    np.savez_compressed(tmp_path / "b.npz", w=arrays["w"], n=arrays["n"])
    np.save(tmp_path / "c.npy", np.asfortranarray(arrays["w"]))
    np.savez(tmp_path / "d.npz", arrays["w"].astype(">f4"))
    for file in ("a.safetensors", "b.npz"):
        found = load_arrays(tmp_path / file)
        assert all(np.array_equal(found[name].asnumpy(), arrays[name]) for name in arrays)
    for file in ("c.npy", "d.npz"):
        assert np.array_equal(load_arrays(tmp_path / file)["arr_0"].asnumpy(), arrays["w"])


def test_bfloat16_goes_where_it_can(tmp_path: Path, line: Line) -> None:
    pytest.importorskip("ml_dtypes")
    mx.nd.save(str(tmp_path / "x.params"), {"x": mx.nd.array([1, 2.5, -3]).astype("bfloat16")})
    convert = ["convert", "x.params"]
    assert line(*convert, "x.safetensors").returncode == 0
    found = load_arrays(tmp_path / "x.safetensors")["x"]
    assert np.dtype(found.dtype).name == "bfloat16"
    assert found.asnumpy().astype("float32").tolist() == [1, 2.5, -3]
    refused = line(*convert, "x.npz")
    assert refused.returncode == 2
    assert "--dtype float32" in refused.stderr
    assert line(*convert, "x.npz", "--dtype", "float32").returncode == 0
    assert np.load(tmp_path / "x.npz")["x"].tolist() == [1, 2.5, -3]


def test_sparse_arrays_become_dense_on_request_only(tmp_path: Path, line: Line) -> None:
    rows = mx.nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(3, 2))
    mx.nd.save(str(tmp_path / "x.params"), {"x": rows})
    refused = line("convert", "x.params", "x.npz")
    assert refused.returncode == 2
    assert "--dense" in refused.stderr
    assert not (tmp_path / "x.npz").exists()
    line("convert", "x.params", "x.npz", "--dense")
    assert np.load(tmp_path / "x.npz")["x"].tolist() == [[0, 0], [1, 2], [0, 0]]


def test_names_change_as_told_and_back(folder: Path, line: Line) -> None:
    (folder / "names.json").write_text('{"net_dense0_bias": "head.bias"}')
    told = ["--drop-kinds", "--names", "names.json", "--rename", r"_(weight|gamma)$=.\1"]
    assert line("convert", "net-0000.params", "a.npz", *told).stdout
    names = set(np.load(folder / "a.npz"))
    assert {"head.bias", "net_conv0.weight", "net_batchnorm0.gamma", "net_conv0_bias"} <= names
    back = ["--rename", r"\.=_", "--rename", "^head=net_dense0", "--kinds-of", "net-symbol.json"]
    line("convert", "a.npz", "b.params", *back)
    old, new = (mx.nd.load(str(folder / file)) for file in ("net-0000.params", "b.params"))
    assert old.keys() == new.keys()
    assert all(same(old[name], new[name]) for name in old)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rename", "[a=b"], "unterminated"),
        (["--rename", r"(a)=\2"], "invalid group reference"),
        (["--rename", "nothing"], "is not like PATTERN=NAME"),
        (["--rename", ".*=same"], "would both become same"),
        (["--names", "names.json"], "did you mean 'arg:net_conv0_weight'"),
        (["--names", "net-0000.params"], "net-0000.params"),
        (["--names", "list.json"], "is not a table"),
        (["--rename", "conv=convolution", "--kinds-of", "net-symbol.json"], "has no variable"),
        (["--kinds-of", "net-0000.params"], "not a network"),
    ],
)
def test_names_that_cannot_be_are_refused(
    options: list[str], said: str, folder: Path, line: Line
) -> None:
    (folder / "names.json").write_text('{"arg:net_conv0_weigth": "x"}')
    (folder / "list.json").write_text("[1]")
    refused = line("convert", "net-0000.params", "x.npz", *options)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert not (folder / "x.npz").exists()


def test_the_target_says_what_is_written(folder: Path, line: Line) -> None:
    for files, said in {
        ("net-0000.params", "x.onix"): ".safetensors",
        ("net-symbol.json", "x.npz"): ".json",
        ("notes.txt", "x.npz"): "holds text, not arrays",
    }.items():
        (folder / "notes.txt").write_text("nothing")
        refused = line("convert", *files)
        assert refused.returncode == 2
        assert said in refused.stderr


def damaged_npz(folder: Path) -> dict[str, bytes]:
    """Files that pretend to be NumPy's."""
    stream = io.BytesIO()
    np.savez(stream, a=np.ones(100))
    whole = stream.getvalue()
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)}
    )
    huge = io.BytesIO()
    with zipfile.ZipFile(huge, "w") as archive:
        archive.writestr("a.npy", header.getvalue())
    objects = io.BytesIO()
    np.savez(objects, a=np.array([None]))
    words = io.BytesIO()
    np.savez(words, a=np.array(["text"]))
    return {
        "changed": whole.replace(b"NUMPY", b"NUMPI"),
        "short": whole[: len(whole) // 2] + whole[-60:],
        "huge": huge.getvalue(),
        "objects": objects.getvalue(),
        "words": words.getvalue(),
    }


def test_damaged_files_of_numpy_are_refused(tmp_path: Path) -> None:
    for name, contents in damaged_npz(tmp_path).items():
        file = tmp_path / f"{name}.npz"
        file.write_bytes(contents)
        with pytest.raises((FileFormatError, CommandError), match=name):
            load_arrays(file)


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"\xff" * 40,
        b"\x08\0\0\0\0\0\0\0{}      surplus",
        struct.pack("<Q", 1 << 40) + b'{"a":{}}',
        b'\x44\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[1099511627776],"data_offsets":[0,4]}}   1234',
        b'\x3c\0\0\0\0\0\0\0{"a":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}      12345678',
    ],
)
def test_damaged_files_of_safetensors_are_refused(contents: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    file.write_bytes(contents)
    with pytest.raises(FileFormatError, match=r"x\.safetensors"):
        load_arrays(file)


# ------------------------------------------------------------------------------------- upgrade


def oldest_parameters() -> bytes:
    """A file of MXNet 0.8 with one array of two numbers."""
    longs, ints, floats, names = [0x112, 0, 1], [1, 2, 1, 0, 0], [1.5, -2], [1, 1]
    return (
        struct.pack("<3Q", *longs) + struct.pack("<5I", *ints) + struct.pack("<2f", *floats)
        + struct.pack("<2Q", *names) + b"w"
    )  # fmt: skip


def test_old_parameters_are_written_as_new_ones(tmp_path: Path, line: Line) -> None:
    (tmp_path / "old.params").write_bytes(oldest_parameters())
    upgraded = line("upgrade", "old.params", "new.params")
    assert "in format 0 (MXNet before 0.9)" in upgraded.stdout
    assert mx.nd.load(str(tmp_path / "new.params"))["w"].asnumpy().tolist() == [1.5, -2]
    mx.nd.save(str(tmp_path / "list.params"), [mx.nd.ones((2,))])
    line("upgrade", "list.params", "list.params")
    assert isinstance(mx.nd.load(str(tmp_path / "list.params")), list)
    again = line("upgrade", "new.params").stdout
    assert "in format 2 (MXNet 1.0 and later)" in again
    assert "nothing is written" in again


def test_an_old_network_is_upgraded_and_its_changes_are_listed(tmp_path: Path, line: Line) -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    document = json.loads(mx.sym.argmax(x, name="most").tojson())
    document["attrs"]["mxnet_version"] = ["int", 10200]
    for node in document["nodes"]:
        node["attr"] = node.pop("attrs", {})
    document["nodes"][-1]["attr"] = {"axis": "-1"}
    document["nodes"][-2]["attr"]["weight_lr_mult"] = "2"
    document["attrs"]["mxnet_version"] = ["int", 900]
    (tmp_path / "old.json").write_text(json.dumps(document))
    upgraded = line("upgrade", "old.json", "new.json")
    assert upgraded.returncode == 0, upgraded.stderr
    assert "MXNet 0.9.0 → 1.9.1" in upgraded.stdout
    assert "fc: weight_lr_mult=2 moves" in upgraded.stdout
    assert "fc_weight: __lr_mult__=2 is new" in upgraded.stdout
    assert "most: axis=-1 moves or is the default" in upgraded.stdout
    new = mx.sym.load(str(tmp_path / "new.json"))
    assert new.attr_dict()["fc_weight"]["__lr_mult__"] == "2"
    converted = line("convert", "old.json", "same.json")
    assert converted.returncode == 0
    assert (tmp_path / "same.json").read_text() == (tmp_path / "new.json").read_text()
    assert "0 changes" in line("upgrade", "new.json").stdout


def test_what_is_neither_network_nor_parameters_is_not_upgraded(tmp_path: Path, line: Line) -> None:
    np.savez(tmp_path / "x.npz", x=np.ones(2))
    refused = line("upgrade", "x.npz")
    assert refused.returncode == 2
    assert "x.npz holds NumPy arrays" in refused.stderr


def test_a_network_becomes_a_library(folder: Path, line: Line) -> None:
    shape = ("--shape", "data=1,3,8,8")
    ran = line("convert", "net-symbol.json", "net.o", *shape, "--weights-beside", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["written"] == ["net.o", "net.h", "net.weights"]
    assert "float32 (batch, 3, 8, 8)" in (folder / "net.h").read_text()


def test_a_network_becomes_an_onnx_model_for_batches_of_any_size(folder: Path, line: Line) -> None:
    onnx = pytest.importorskip("onnx")
    ran = line("convert", "net-symbol.json", "net.onnx", "--shape", "data=1,3,8,8", "--json")
    assert ran.returncode == 0, ran.stderr
    facts = json.loads(ran.stdout)
    assert facts["written"] == ["net.onnx"]
    assert facts["agreement"] < 1e-5
    (data,) = onnx.load(str(folder / "net.onnx")).graph.input
    extents = [dim.dim_param or dim.dim_value for dim in data.type.tensor_type.shape.dim]
    assert extents == ["batch", 3, 8, 8]


def test_a_network_becomes_a_module_of_pytorch(folder: Path, line: Line) -> None:
    ran = line("convert", "net-symbol.json", "net.py", "--shape", "data=1,3,8,8")
    assert ran.returncode == 0, ran.stderr
    written = [told.partition(":")[0] for told in ran.stdout.splitlines()]
    assert written[:2] == ["net.py", "net.safetensors"]
    assert "nn.Conv2d(3, 4, 3)" in (folder / "net.py").read_text()
    assert load_arrays(folder / "net.safetensors")["net_conv0.weight"].shape == (4, 3, 3, 3)


def test_what_has_no_counterpart_elsewhere_is_said(tmp_path: Path, line: Line) -> None:
    pytest.importorskip("onnx")
    gamma = mx.sym.contrib.fft(mx.sym.var("data"), name="spectrum")
    gamma.save(str(tmp_path / "net-symbol.json"))
    for target in ("net.onnx", "net.py"):
        ran = line("convert", "net-symbol.json", target, "--shape", "data=2,4")
        assert ran.returncode == 1
        assert "_contrib_fft ×1" in ran.stderr
        assert not (tmp_path / target).exists()


def test_labels_are_no_inputs_of_a_library(tmp_path: Path, line: Line) -> None:
    data = mx.sym.var("data")
    scores = mx.sym.FullyConnected(data, num_hidden=3, name="scores")
    mx.sym.SoftmaxOutput(scores, name="softmax").save(str(tmp_path / "net-symbol.json"))
    values = {"arg:scores_weight": mx.nd.ones((3, 4)), "arg:scores_bias": mx.nd.zeros((3,))}
    mx.nd.save(str(tmp_path / "net-0000.params"), values)
    ran = line("convert", "net-symbol.json", "net.o", "--shape", "data=2,4")
    assert ran.returncode == 0, ran.stderr
    header = (tmp_path / "net.h").read_text()
    assert "NET_INPUTS = 1," in header
    assert "label" not in header


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, "--shape data="),
        (("--shape", "data=1,3,8,8", "--cpu", "z80"), 2, "unknown processor 'z80'"),
        (("--shape", "data=1,3,8,8", "--most", "0"), 1, "most=0"),
        (("--shape", "data=1,3,8"), 1, "data"),
    ],
)
def test_what_is_wrong_with_a_library_is_said(
    arguments: tuple[str, ...], status: int, message: str, folder: Path, line: Line
) -> None:
    ran = line("convert", "net-symbol.json", "net.o", *arguments)
    assert (ran.returncode, message in ran.stderr) == (status, True), ran.stderr
    assert not (folder / "net.o").exists()
