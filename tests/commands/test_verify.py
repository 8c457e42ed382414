"""Proofs beside exported models, and ``gluonic verify``, which replays them."""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic.gluon.proofs import read_proof
from gluonic.graph.errors import CallError, FileFormatError
from tests.commands.conftest import Line
from tests.face.commands import HOME, gluonic_command

PROOF = "net-0000.proof.npz"


def a_net() -> mx.gluon.nn.HybridSequential:
    """A net for images of 3x8x8."""
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(10))
    net.initialize(mx.init.Normal(0.1))
    net.hybridize()
    net(mx.nd.ones((2, 3, 8, 8)))
    return net


@pytest.fixture
def proved(tmp_path: Path) -> Path:
    """A folder with an exported net and its proof."""
    a_net().export(str(tmp_path / "net"), proof=True)
    return tmp_path


def change(folder: Path, name: str) -> None:
    """Change a parameter in the file."""
    file = str(folder / "net-0000.params")
    arrays = mx.nd.load(file)
    arrays[name] = arrays[name] + 1
    mx.nd.save(file, arrays)


def test_a_proof_holds_where_the_model_is_as_it_was(proved: Path) -> None:
    found = gluonic_command("verify", PROOF, folder=proved)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == f"gluonic {mx.__dict__['_version'].__version__}: the same\n"


def test_given_inputs_are_what_is_proved(tmp_path: Path, line: Line) -> None:
    net = a_net()
    x = mx.nd.random.uniform(shape=(3, 3, 8, 8))
    net.export(str(tmp_path / "net"), 7, proof=x)
    proof = read_proof(tmp_path / "net-0007.proof.npz")
    assert np.array_equal(proof.inputs["data"], x.asnumpy())
    (output,) = proof.outputs.values()
    assert np.allclose(output, net(x).asnumpy(), rtol=1e-4, atol=1e-5)
    assert line("verify", "net-0007.proof.npz").returncode == 0


def test_an_imported_model_is_proved_for_given_inputs_only(proved: Path, line: Line) -> None:
    files = str(proved / "net-symbol.json"), ["data"], str(proved / "net-0000.params")
    block = mx.gluon.SymbolBlock.imports(*files)
    x = mx.nd.ones((1, 3, 8, 8))
    block(x)
    with pytest.raises(CallError, match=r"proof=\(x, …\)"):
        block.export(str(proved / "again"), proof=True)
    with pytest.raises(CallError, match="1 arrays, one for each input"):
        block.export(str(proved / "again"), proof=(x, x))
    assert not list(proved.glob("again*"))
    block.export(str(proved / "again"), proof=(x,))
    assert line("verify", "again-0000.proof.npz").returncode == 0


def test_what_draws_random_numbers_is_not_proved(tmp_path: Path) -> None:
    net = mx.gluon.nn.HybridLambda(lambda F, x: x + F.random.uniform(shape=(1,)))
    net.hybridize()
    net(mx.nd.ones((1,)))
    with pytest.raises(CallError, match="draws random numbers"):
        net.export(str(tmp_path / "net"), proof=True)
    assert not list(tmp_path.iterdir())


def test_dropout_is_proved_as_it_predicts(tmp_path: Path, line: Line) -> None:
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(3), mx.gluon.nn.Dropout(0.5))
    net.initialize()
    net.hybridize()
    net(mx.nd.ones((2, 4)))
    net.export(str(tmp_path / "net"), proof=True)
    assert line("verify", PROOF).returncode == 0


def test_a_changed_model_is_found_and_the_first_operator_that_differs(
    proved: Path, line: Line
) -> None:
    change(proved, "arg:net_batchnorm0_beta")
    found = line("verify", PROOF, "--output", "first.svg")
    assert found.returncode == 3
    assert "net-0000.params has changed since the proof was written" in found.stdout
    assert "first in BatchNorm 'net_batchnorm0_fwd': 32 of 32 elements differ" in found.stdout
    assert "net_dense0_fwd_output: 20 of 20 elements differ" in found.stdout
    picture = (proved / "first.svg").read_text()
    assert "net_batchnorm0_fwd" in picture or "BatchNorm" in picture
    facts = json.loads(line("verify", PROOF, "--json").stdout)
    assert facts["runtimes"][0]["first"]["name"] == "net_batchnorm0_fwd"
    assert facts["changed files"] == ["net-0000.params"]


def test_a_converted_model_is_verified_and_the_first_operator_that_differs_named(
    proved: Path, line: Line
) -> None:
    pytest.importorskip("onnx")
    shape = ("--shape", "data=2,3,8,8")
    assert line("convert", "net-symbol.json", "net.onnx", *shape).returncode == 0
    held = line("verify", PROOF, "--onnx", "net.onnx")
    assert (held.returncode, held.stdout.count("the same")) == (0, 2), held.stdout
    original = (proved / "net-0000.params").read_bytes()
    change(proved, "arg:net_batchnorm0_beta")
    assert line("convert", "net-symbol.json", "net.onnx", *shape).returncode == 0
    (proved / "net-0000.params").write_bytes(original)
    failed = line("verify", PROOF, "--onnx", "net.onnx", "--json")
    assert failed.returncode == 3
    ours, theirs = json.loads(failed.stdout)["runtimes"]
    assert ours["first"] is None
    assert theirs["first"]["name"] == "net_batchnorm0_fwd"


@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("cc"), reason="needs cc")
@pytest.mark.parametrize("weights", [(), ("--weights-beside",)])
def test_a_library_is_verified_in_a_process_that_only_calls_it(
    weights: tuple[str, ...], proved: Path, line: Line
) -> None:
    convert = ("convert", "net-symbol.json", "net.so", "--shape", "data=2,3,8,8", "--most", "2")
    assert line(*convert, *weights).returncode == 0
    held = line("verify", PROOF, "--library", "net.so")
    assert (held.returncode, held.stdout.count("the same")) == (0, 2), held.stdout
    (proved / "crash.c").write_text("void net_version(void) { __builtin_trap(); }")
    subprocess.run(["cc", "-shared", "-o", "net.so", "crash.c"], cwd=proved, check=True)
    for file, said in (("net.so", "net.so: "), ("none.so", "none.h")):
        failed = line("verify", PROOF, "--library", file)
        assert failed.returncode == 1
        assert said in failed.stderr
    (proved / "net.h").write_text("int main(void);")
    assert "no header that gluonic" in line("verify", PROOF, "--library", "net.so").stderr


def test_a_module_of_pytorch_is_verified_and_the_first_operator_that_differs_named(
    proved: Path, line: Line
) -> None:
    pytest.importorskip("torch")
    convert = ("convert", "net-symbol.json", "net.py", "--shape", "data=2,3,8,8")
    original = (proved / "net-0000.params").read_bytes()
    change(proved, "arg:net_batchnorm0_beta")
    assert line(*convert).returncode == 0
    (proved / "net-0000.params").write_bytes(original)
    failed = line("verify", PROOF, "--torch", "net.py", "--json")
    assert failed.returncode == 3
    ours, theirs = json.loads(failed.stdout)["runtimes"]
    assert ours["first"] is None
    assert theirs["first"]["name"] == "net_batchnorm0_fwd"


def test_what_is_no_converted_model_is_said(proved: Path, line: Line) -> None:
    pytest.importorskip("onnx")
    (proved / "net.py").write_text("print(1)")
    for option, file in (("--onnx", "net-symbol.json"), ("--torch", "net.py"), ("--onnx", "none")):
        ran = line("verify", PROOF, option, file)
        assert ran.returncode == 1
        assert file in ran.stderr


def test_a_file_that_only_looks_different_is_reported_too(proved: Path, line: Line) -> None:
    with (proved / "net-symbol.json").open("a") as stream:
        stream.write("\n")
    found = line("verify", PROOF)
    assert found.returncode == 3
    assert "net-symbol.json has changed" in found.stdout
    assert "the same" in found.stdout


def a_python_with_mxnet(folder: Path, factor: float = 1.0) -> str:
    """A program that runs Python where ``import mxnet`` is gluonic, whose tanh is another."""
    (folder / "sitecustomize.py").write_text(
        f"import sys\nsys.path.insert(0, {HOME!r})\n"
        "import gluonic\ngluonic.install_as_mxnet()\n"
        "from gluonic.graph.operator import REGISTRY\n"
        f"op = REGISTRY['relu']; kernel = op.kernel\n"
        f"op.kernel = lambda data, **kw: kernel(data, **kw) * {factor}\n"
        if factor != 1
        else f"import sys\nsys.path.insert(0, {HOME!r})\nimport gluonic\ngluonic.install_as_mxnet()\n"
    )
    script = folder / "python"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={folder}{os.pathsep}{os.pathsep.join(sys.path)} exec {sys.executable} "$@"\n'
    )
    script.chmod(0o755)
    return str(script)


def test_another_python_computes_the_proof_too(proved: Path, tmp_path: Path, line: Line) -> None:
    (tmp_path / "other").mkdir()
    found = line("verify", PROOF, "--mxnet", a_python_with_mxnet(tmp_path / "other"))
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.splitlines()[1] == "MXNet 1.9.1: the same"
    change(proved, "arg:net_batchnorm0_beta")
    found = line("verify", PROOF, "--mxnet", a_python_with_mxnet(tmp_path / "other"))
    assert found.returncode == 3
    assert found.stdout.count("first in BatchNorm 'net_batchnorm0_fwd'") == 2


@pytest.mark.parametrize(
    ("python", "said"),
    [("/no/such/python", "No such file"), (sys.executable, "mxnet"), ("false", "status 1")],
)
def test_a_python_without_mxnet_is_reported(
    python: str, said: str, proved: Path, line: Line
) -> None:
    failed = line("verify", PROOF, "--mxnet", python)
    assert failed.returncode == 1
    assert said in failed.stderr


def test_damaged_proofs_are_refused(proved: Path, line: Line) -> None:
    whole = (proved / PROOF).read_bytes()
    for contents in (whole[:-100], whole.replace(b"version", b"versoin"), b"nothing at all", b""):
        (proved / PROOF).write_bytes(contents)
        with pytest.raises(FileFormatError, match=PROOF):
            read_proof(proved / PROOF)
        assert line("verify", PROOF).returncode == 1
    assert line("verify", "net-0000.params").returncode == 2
    assert line("verify", "none.proof.npz").returncode == 1


def test_a_proof_leads_to_files_beside_it_alone(proved: Path, line: Line) -> None:
    whole = (proved / PROOF).read_bytes()
    with np.load(proved / PROOF) as arrays:
        values = dict(arrays.items())
    facts = json.loads(values["proof"].tobytes())
    facts["digests"] = {"../net-symbol.json": "0", "net-0000.params": "0"}
    values["proof"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez(proved / PROOF, **values)
    refused = line("verify", PROOF)
    assert refused.returncode == 1
    assert "two files in its folder" in refused.stderr
    (proved / PROOF).write_bytes(whole)
    (proved / "net-0000.params").unlink()
    assert "net-0000.params" in line("verify", PROOF).stderr
