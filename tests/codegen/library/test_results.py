"""A library computes what the compiled net computes, to the last bit."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic import gluon
from gluonic.codegen.machine.target import narrowed, processor, runs_here
from tests.codegen.library.nets import NETS, exported, made, outputs
from tests.codegen.library.programs import (
    compile_program,
    expected,
    program,
    run_program,
)

LEVELS = "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"
SIZES = 1, 2, 3, 8, 1


def level() -> str:
    """The level of x86-64 that this machine has."""
    if narrowed("", "").architecture != "x86_64":
        pytest.skip("the compiled net would have features of this processor's own")
    return processor("").cpu


def compile_alike(cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nets be compiled with the instructions, and the products, of a library."""
    monkeypatch.setenv("GLUONIC_CPU", cpu)
    monkeypatch.setenv("GLUONIC_BLAS", "0")


@pytest.mark.parametrize("name", [name for name in NETS if name != "squeezenet"])
def test_a_program_in_c_computes_what_the_compiled_net_computes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_alike(level(), monkeypatch)
    net, sample = made(name)
    files = exported(net, sample, tmp_path / f"{name}.so", most=8)
    batches = [sample(size) for size in SIZES]
    results = [outputs(net, batch) for batch in batches]
    ran = compile_program(program(files.header), tmp_path, files.library)
    assert run_program(ran, files.header, batches) == expected(batches, results)


@pytest.mark.parametrize("name", ["digits", "recurrent", "encoder"])
@pytest.mark.parametrize("cpu", LEVELS)
def test_code_for_each_level_computes_what_the_net_compiled_for_it_computes(
    cpu: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not runs_here(processor(cpu)):
        pytest.skip(f"this machine cannot run code for {cpu}")
    compile_alike(cpu, monkeypatch)
    net, sample = made(name)
    files = exported(net, sample, tmp_path / f"{name}.so", cpu=cpu, most=3)
    ran = compile_program(program(files.header), tmp_path, files.library)
    batches = [sample(size) for size in (1, 3)]
    results = [outputs(net, batch) for batch in batches]
    assert run_program(ran, files.header, batches) == expected(batches, results)


@pytest.mark.parametrize("name", ["digits", "recurrent", "encoder", "mobilenet"])
def test_code_for_arm_agrees_with_the_net_where_an_emulator_runs_it(
    name: str, tmp_path: Path
) -> None:
    compiler, emulator = map(shutil.which, ("aarch64-linux-gnu-gcc", "qemu-aarch64"))
    if compiler is None or emulator is None:
        pytest.skip("aarch64-linux-gnu-gcc or qemu-aarch64 is not installed")
    net, sample = made(name)
    files = exported(net, sample, tmp_path / f"{name}.so", cpu="aarch64", most=3)
    ran = compile_program(program(files.header), tmp_path, files.library, compiler)
    root = subprocess.run([compiler, "-print-file-name=libc.so.6"], capture_output=True, text=True)
    system = Path(root.stdout.strip()).resolve().parent.parent
    batches = [sample(size) for size in (1, 3)]
    written = run_program(ran, files.header, batches, [emulator, "-L", str(system)])
    results = [outputs(net, batch) for batch in batches]
    found = np.frombuffer(written, np.float32)
    wanted = np.frombuffer(expected(batches, results), np.float32)
    assert np.allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_weights_beside_the_library_give_the_same_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_alike(level(), monkeypatch)
    net, sample = made("digits")
    files = exported(net, sample, tmp_path / "digits.so", weights="beside")
    ran = compile_program(program(files.header, str(files.weights)), tmp_path, files.library)
    batches = [sample(5)]
    assert run_program(ran, files.header, batches) == expected(batches, [outputs(net, batches[0])])


_CTYPES = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
context = ctypes.c_void_p()
assert library.layers_create(ctypes.byref(context)) == 0
batch = int(sys.argv[2])
data = sys.stdin.buffer.read()
output = ctypes.create_string_buffer(4 * 10 * batch)
library.layers_run.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p]
assert library.layers_run(context, batch, data, output) == 0
sys.stdout.buffer.write(output.raw)
library.layers_free.argtypes = [ctypes.c_void_p]
library.layers_free(context)
assert not any(name.startswith(("gluonic", "numpy")) for name in sys.modules)
"""


def test_python_without_gluonic_runs_a_library_through_ctypes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_alike(level(), monkeypatch)
    net, sample = made("layers")
    files = exported(net, sample, tmp_path / "layers.so")
    (data,) = sample(6)
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _CTYPES, str(files.library), "6"],
        input=data.tobytes(),
        capture_output=True,
        check=False,
    )
    assert not ran.returncode, ran.stderr
    assert ran.stdout == outputs(net, [data])[0].tobytes()


def test_an_object_file_is_linked_into_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_alike(level(), monkeypatch)
    net, sample = made("layers")
    files = exported(net, sample, tmp_path / "layers.o")
    ran = compile_program(program(files.header), tmp_path, files.library)
    batches = [sample(4)]
    assert run_program(ran, files.header, batches) == expected(batches, [outputs(net, batches[0])])


def test_two_libraries_are_linked_into_one_program(tmp_path: Path) -> None:
    objects = []
    for name in ("layers", "digits"):
        net, sample = made(name)
        objects.append(exported(net, sample, tmp_path / f"{name}.o").library)
    source = (
        '#include <stdio.h>\n#include "layers.h"\n#include "digits.h"\n'
        "int main(void) { puts(layers_version()); puts(digits_version()); return 0; }\n"
    )
    both = tmp_path / "both.o"
    subprocess.run(["ld", "-r", "-o", str(both), *map(str, objects)], check=True)
    ran = subprocess.run(
        [compile_program(source, tmp_path, both)], capture_output=True, text=True, check=True
    )
    first, second = ran.stdout.splitlines()
    assert first.startswith("gluonic ")
    assert first != second


def test_the_batch_may_be_another_axis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_alike(level(), monkeypatch)
    net = gluon.rnn.LSTM(8)
    net.initialize(mx.init.Xavier())
    net.hybridize()
    x = mx.nd.random.uniform(shape=(6, 2, 3))
    net(x)
    files = net.export_library(str(tmp_path / "times.so"), x, batch_axis=1, most=4)
    source = program(files.header)
    ran = compile_program(source, tmp_path, files.library)
    for size in (1, 4):
        data = np.random.RandomState(size).randn(6, size, 3).astype("float32")
        given = ran.with_suffix(".in")
        given.write_bytes(np.int64(size).tobytes() + data.tobytes())
        subprocess.run([ran, given, ran.with_suffix(".out")], check=True)
        wanted = data.tobytes() + outputs(net, [data])[0].tobytes()
        assert ran.with_suffix(".out").read_bytes() == wanted


def test_values_of_other_dtypes_pass_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wide(gluon.HybridBlock):
        def hybrid_forward(self, F: object, x: mx.nd.NDArray) -> mx.nd.NDArray:
            return (x.astype("float64") * 3).astype("int64")

    compile_alike(level(), monkeypatch)
    net = Wide()
    net.hybridize()
    x = mx.nd.array([[1, 2]], dtype="int32")
    files = net.export_library(str(tmp_path / "wide.so"), x)
    ran = compile_program(program(files.header), tmp_path, files.library)
    data = np.array([[1, -2], [7, 8]], "int32")
    written = run_program(ran, files.header, [[data]])
    assert written == data.tobytes() + (data.astype("int64") * 3).tobytes()


@pytest.fixture(autouse=True)
def _needs_a_compiler() -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
