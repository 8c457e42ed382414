"""A net as WebAssembly computes what the compiled net computes."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.codegen.exported_library import LibraryFiles
from gluonic.codegen.library.refusals import LibraryError
from gluonic.codegen.library.web.arithmetic import ARITHMETIC, add_arithmetic
from gluonic.codegen.library.web.linking import link
from gluonic.codegen.library.web.object_file import WasmReader, read_object, unsigned
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import compile_object
from gluonic.codegen.machine.target import WEB, TargetError
from gluonic.graph.errors import AttributeValueError
from tests.codegen.library.engines import WasmtimeNet, served
from tests.codegen.library.nets import Sample, exported, made, outputs
from tests.drawing.chromium import PROGRAM, answer, with_script
from tests.face.commands import command

SIZES = 1, 3, 8, 2
NAMES = "digits", "recurrent", "encoder", "ends", "mobilenet"
ARRAYS = {"f4": "Float32Array", "i4": "Int32Array", "u1": "Uint8Array"}
NODE = """
import {{ load }} from "{script}";
import {{ readFileSync }} from "node:fs";
const net = await load(readFileSync("{library}"));
const all = [];
const arrays = {{ Float32Array, Int32Array, Uint8Array }};
for (const [batch, inputs] of JSON.parse(readFileSync(0))) {{
  const given = Object.entries(inputs).map(([name, [kind, values]]) => [name, arrays[kind].from(values)]);
  try {{
    const found = net.run(Object.fromEntries(given), batch);
    all.push(Object.values(found).map((each) => [...new Uint8Array(each.buffer)]));
  }} catch (error) {{
    all.push(`${{error.name}}: ${{error.message}}`);
  }}
}}
console.log(JSON.stringify(all));
"""


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not installed")
    return found


def port_names(files: LibraryFiles) -> list[str]:
    """The names of the inputs."""
    (line,) = re.findall(r"^const INPUTS = (.*);$", files.header.read_text(), re.MULTILINE)
    return re.findall(r'name: "(\w+)"', line)


def run(node: str, files: LibraryFiles, calls: Sequence[tuple[int, dict[str, Any]]]) -> list[Any]:
    """The outputs of calls in Node.js, as bytes, or a message."""
    text = NODE.format(script=files.header, library=files.library)
    given = [
        (batch, {n: (ARRAYS[a.dtype.str[1:]], a.ravel().tolist()) for n, a in inputs.items()})
        for batch, inputs in calls
    ]
    command = [node, "--input-type=module", "--eval", text]
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)
    assert not ran.returncode, ran.stderr
    found: list[Any] = json.loads(ran.stdout)
    return [each if isinstance(each, str) else list(map(bytes, each)) for each in found]


def calls_of(files: LibraryFiles, sample: Sample) -> list[tuple[int, dict[str, Any]]]:
    names = port_names(files)
    return [(size, dict(zip(names, sample(size), strict=True))) for size in SIZES]


@pytest.mark.parametrize("name", NAMES)
def test_javascript_gets_the_numbers_of_the_compiled_net(
    name: str, node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_CPU", "x86-64")  # whose registers have 128 bits, too
    monkeypatch.setenv("GLUONIC_BLAS", "0")
    net, sample = made(name)
    files = exported(net, sample, tmp_path / f"{name}.wasm", most=8)
    computed = run(node, files, calls_of(files, sample))
    for size, arrays in zip(SIZES, computed, strict=True):
        for ours, theirs in zip(outputs(net, sample(size)), arrays, strict=True):
            assert np.allclose(np.frombuffer(theirs, ours.dtype), ours.ravel(), 1e-5, 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_another_engine_computes_the_same_numbers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("wasmtime")
    monkeypatch.setenv("GLUONIC_CPU", "x86-64")
    monkeypatch.setenv("GLUONIC_BLAS", "0")
    net, sample = made(name)
    loaded = WasmtimeNet(exported(net, sample, tmp_path / f"{name}.wasm", most=8))
    for size in SIZES:
        expected = outputs(net, sample(size))
        computed = loaded.run(sample(size), [each.dtype for each in expected], size)
        for ours, theirs in zip(expected, computed, strict=True):
            assert np.allclose(theirs, ours.ravel(), 1e-5, 1e-6)


_DRAWN = """
  const canvas = document.getElementById("drawing");
  const meters = () => [...document.querySelectorAll("meter")].map(({ value }) => value);
  while (meters().length < 10) await new Promise((done) => setTimeout(done, 10));
  function read(points) {
    document.getElementById("clear").click();
    const { left, top } = canvas.getBoundingClientRect();
    for (const [x, y] of points) {
      const place = { buttons: 1, clientX: left + x, clientY: top + y };
      canvas.dispatchEvent(new PointerEvent("pointermove", place));
    }
    const shares = meters();
    return shares.indexOf(Math.max(...shares));
  }
  const around = (turn) => [128 + 70 * Math.cos(turn), 128 + 100 * Math.sin(turn)];
  const zero = Array.from({ length: 64 }, (_, i) => around((i * Math.PI) / 32));
  const one = Array.from({ length: 40 }, (_, i) => [128, 25 + 5 * i]);
  return [read(zero), read(one)];
"""


@pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")
def test_the_page_of_the_example_recognizes_what_one_draws(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "web" / "digits.py"
    ran = command(str(example), folder=tmp_path)
    assert not ran.returncode, ran.stderr
    page = tmp_path / "digits-page" / "index.html"
    page.write_text(with_script(page.read_text(), _DRAWN))
    with served(page.parent) as address:
        assert answer(f"{address}/index.html", tmp_path) == [0, 1]


def test_a_classifier_of_digits_is_below_100_kb(tmp_path: Path) -> None:
    net, sample = made("digits")
    files = exported(net, sample, tmp_path / "digits.wasm", most=64)
    weights = sum(p.data().size for p in net.collect_params().values()) * 4
    assert files.weights is None
    assert files.library.stat().st_size < 100_000 + weights


def test_wrong_calls_are_errors_of_javascript(node: str, tmp_path: Path) -> None:
    net, sample = made("layers")
    files = exported(net, sample, tmp_path / "layers.wasm", most=3)
    (name,), x = port_names(files), sample(2)[0]
    calls = [
        (4, {name: sample(4)[0]}), (0, {name: x}), (1, {name: x}), (2, {}),
        (2, {name: x.astype("int32")}), (2, {name: x}),
    ]  # fmt: skip
    *wrong, right = run(node, files, calls)
    assert wrong == [
        *["Error: the net does not serve this batch size"] * 2,
        f"TypeError: {name} must be a Float32Array of 64 elements",
        *[f"TypeError: {name} must be a Float32Array of 128 elements"] * 2,
    ]
    assert np.allclose(np.frombuffer(right[0], "f4"), outputs(net, [x])[0].ravel(), 1e-5, 1e-6)


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("layers.wasm", {"weights": "beside"}, AttributeValueError),
        ("layers.wasm", {"cpu": "x86-64-v3"}, TargetError),
        ("layers.so", {"cpu": "wasm32"}, TargetError),
        ("layers.o", {"cpu": "wasm32"}, TargetError),
    ],
)
def test_what_webassembly_has_not_is_refused_before_anything_is_written(
    name: str, options: dict[str, Any], error: type[Exception], tmp_path: Path
) -> None:
    net, sample = made("layers")
    with pytest.raises(error, match=r"wasm|inside"):
        exported(net, sample, tmp_path / name, **options)
    assert not [*tmp_path.iterdir()]


def test_what_python_runs_is_refused(tmp_path: Path) -> None:
    x = mx.sym.var("x")
    net = mx.gluon.SymbolBlock(mx.sym.linalg.syevd(x)[1], [x])
    with pytest.raises(LibraryError, match="_linalg_syevd"):
        net.export_library(str(tmp_path / "x.wasm"), mx.nd.ones((3, 3)), batch_axis=None)


_FMA = """
import {{ readFileSync }} from "node:fs";
const {{ instance }} = await WebAssembly.instantiate(readFileSync("{file}"));
const {{ fma, fmaf }} = instance.exports;
console.log(JSON.stringify(JSON.parse(readFileSync(0)).map((each) => [fma(...each), fmaf(...each)])));
"""


def operands() -> list[list[float]]:
    """Numbers of float32 whose products nearly cancel the third, are halfway between two, or far from it."""
    random = np.random.RandomState(3)
    found = []
    for _ in range(500):
        a, b = random.uniform(-2, 2, 2).astype(np.float32)
        near = [a * b, np.nextafter(-a * b, np.float32(9)), a * b * np.float32(2.0**-24)]
        far = random.uniform(-1, 1) * 2.0 ** random.randint(-60, 60)
        found += [[float(a), float(b), float(c)] for c in (*near, np.float32(far))]
    return found


def test_fused_products_are_rounded_once(node: str, tmp_path: Path) -> None:
    module = LLVMModule(WEB)
    add_arithmetic(module)
    image = compile_object(module.text(), WEB)
    (tmp_path / "fma.wasm").write_bytes(link(read_object(image), ARITHMETIC, {}))
    text = _FMA.format(file=tmp_path / "fma.wasm")
    command, given = [node, "--input-type=module", "--eval", text], operands()
    ran = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)
    for (a, b, c), (double, single) in zip(
        given, json.loads(ran.stdout, parse_int=float), strict=True
    ):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        assert double == float(exact)
        near = np.float32(single)
        others = (float(np.nextafter(near, np.float32(end))) for end in (-np.inf, np.inf))
        assert all(abs(exact - Fraction(single)) <= abs(exact - Fraction(x)) for x in others)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**31, 2**32 - 1])
def test_numbers_of_variable_length_are_read_as_they_are_written(number: int) -> None:
    assert WasmReader(unsigned(number)).number() == number
