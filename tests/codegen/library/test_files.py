"""The files of a library: what they need from elsewhere, how large they are, what the header says."""

import shutil
from pathlib import Path

import pytest

import gluonic as mx
from gluonic import gluon
from gluonic.codegen.library.elf import defined_names, undefined_names
from gluonic.codegen.library.linking import LinkError
from gluonic.codegen.machine.target import TargetError
from gluonic.graph.errors import AttributeValueError
from tests.codegen.library.nets import exported, made

KINDS = "version", "create", "free", "input_elements", "output_elements", "run"
C_LIBRARY = {
    *("malloc", "free", "aligned_alloc", "memcpy", "memmove", "memset", "memcmp"),
    *("open", "lseek", "mmap", "munmap", "close"),
}
MATHEMATICS = {"fma", "fmaf", "fmod", "fmodf", "floor", "ceil", "trunc", "rint", "nearbyint"}
PROCESSORS = "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "aarch64", "neoverse-n1"


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("name", ["digits", "recurrent", "encoder"])
def test_object_files_for_every_processor_need_the_c_library_alone(
    name: str, cpu: str, tmp_path: Path
) -> None:
    net, sample = made(name)
    files = exported(net, sample, tmp_path / f"{name}.o", cpu=cpu, most=4)
    image = files.library.read_bytes()
    assert {*undefined_names(image)} <= C_LIBRARY | MATHEMATICS
    assert defined_names(image) == sorted(f"{name}_{kind}" for kind in KINDS)
    assert image[18] == (183 if cpu in ("aarch64", "neoverse-n1") else 62)  # ELF's machines
    assert cpu.replace("aarch64", "generic") in files.header.read_text()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("weights", ["inside", "beside"])
def test_shared_libraries_need_the_c_library_alone(weights: str, tmp_path: Path) -> None:
    net, sample = made("encoder")
    files = exported(net, sample, tmp_path / "encoder.so", weights=weights)
    image = files.library.read_bytes()
    assert {*undefined_names(image)} <= C_LIBRARY | MATHEMATICS
    assert {f"encoder_{kind}" for kind in KINDS} <= {*defined_names(image)}


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_a_classifier_of_digits_is_below_100_kb_beside_its_weights(
    cpu: str, tmp_path: Path
) -> None:
    net, sample = made("digits")
    files = exported(net, sample, tmp_path / "digits.so", cpu=cpu, weights="beside")
    assert files.library.stat().st_size < 100_000


def test_a_net_gives_the_same_files_each_time(tmp_path: Path) -> None:
    contents = []
    net, sample = made("digits")
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        files = exported(net, sample, tmp_path / folder / "digits.o", most=4)
        contents.append((files.library.read_bytes(), files.header.read_text()))
    assert contents[0] == contents[1]


def test_without_a_compiler_the_message_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    net, sample = made("layers")
    with pytest.raises(LinkError, match=r"cc -shared -o layers\.so layers\.o -lm"):
        exported(net, sample, tmp_path / "layers.so")
    assert not [*tmp_path.iterdir()]
    files = exported(net, sample, tmp_path / "layers.o")
    assert files.library.is_file()
    assert files.header.is_file()


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("layers.dll", {}, AttributeValueError),
        ("nowhere/layers.o", {}, AttributeValueError),
        ("layers.o", {"weights": "outside"}, AttributeValueError),
        ("layers.o", {"most": 0}, AttributeValueError),
        ("layers.o", {"most": True}, AttributeValueError),
        ("layers.o", {"batch_axis": (0, 0)}, AttributeValueError),
        ("layers.o", {"cpu": "z80"}, TargetError),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_written(
    name: str, options: dict[str, object], error: type[Exception], tmp_path: Path
) -> None:
    net, sample = made("layers")
    with pytest.raises(error):
        exported(net, sample, tmp_path / name, **options)
    assert not [*tmp_path.iterdir()]


def test_a_header_describes_shapes_and_bears_the_name_of_the_file(tmp_path: Path) -> None:
    net, sample = made("digits")
    files = exported(net, sample, tmp_path / "my-digits.2.o", most=32)
    text = files.header.read_text()
    assert "float32 (batch, 1, 8, 8)" in text
    assert "float32 (batch, 10)" in text
    assert "my_digits_2_run(" in text
    assert "MY_DIGITS_2_MOST_BATCH = 32" in text


def test_names_of_arrays_become_different_identifiers(tmp_path: Path) -> None:
    batch, dashed = mx.sym.var("batch"), mx.sym.var("x-1")
    net = gluon.SymbolBlock(batch + dashed, [batch, dashed])
    files = net.export_library(str(tmp_path / "sum.o"), mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))
    text = files.header.read_text()
    assert "const float *batch_," in text
    assert "const float *x_1," in text


def test_without_a_batch_axis_the_sizes_are_fixed(tmp_path: Path) -> None:
    net, _ = made("layers")
    x = mx.nd.ones((3, 64))
    text = net.export_library(str(tmp_path / "l.o"), x, batch_axis=None).header.read_text()
    assert "float32 (3, 64)" in text
    assert "L_LEAST_BATCH = 1" in text
    assert "L_MOST_BATCH = 1\n" in text
