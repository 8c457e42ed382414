"""Models of others, models that cannot be read, and damaged files."""

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.graph.errors import FileFormatError

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

from gluonic.contrib.onnx import get_model_metadata, import_model, import_to_gluon  # noqa: E402
from gluonic.onnx.comparison import difference, run_model  # noqa: E402
from gluonic.onnx.reading import OnnxImportError  # noqa: E402
from tests.onnx.nets import NETS  # noqa: E402
from tests.onnx.other_models import both_ways  # noqa: E402

EXPORTED = Path(__file__).parents[1] / "measured" / "exported_models"

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def model_of(text: str, opset: int = 17) -> Any:
    """A model in ONNX's textual notation."""
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}]> {text}')
    onnx.checker.check_model(model)
    return model


OTHERS = {
    "a head that computes its shape": """
        agraph (float[N, 3, H, W] x) => (float[N, K] y) {
            shape = Shape (x)
            zero = Constant <value = int64 {0}> ()
            batch = Gather <axis = 0> (shape, zero)
            axes = Constant <value = int64[1] {0}> ()
            first = Unsqueeze (batch, axes)
            rest = Constant <value = int64[1] {-1}> ()
            target = Concat <axis = 0> (first, rest)
            y = Reshape (x, target)
        }""",
    "attention with open sizes": """
        agraph (float[N, T, 8] x) => (float[N, T, 8] y) {
            shape = Shape (x)
            starts = Constant <value = int64[1] {0}> ()
            ends = Constant <value = int64[1] {2}> ()
            front = Slice (shape, starts, ends)
            heads = Constant <value = int64[2] {2, 4}> ()
            target = Concat <axis = 0> (front, heads)
            split = Reshape (x, target)
            turned = Transpose <perm = [0, 2, 1, 3]> (split)
            flipped = Transpose <perm = [0, 2, 3, 1]> (split)
            scores = MatMul (turned, flipped)
            attention = Softmax <axis = -1> (scores)
            mixed = MatMul (attention, turned)
            back = Transpose <perm = [0, 2, 1, 3]> (mixed)
            y = Reshape (back, shape)
        }""",
    "a mask of the causal kind": """
        agraph (float[T, T] x) => (float[T, T] y) {
            shape = Shape (x)
            ones = ConstantOfShape <value = float[1] {1.0}> (shape)
            mask = Trilu <upper = 0> (ones)
            y = Mul (x, mask)
        }""",
    "a hard swish and clips": """
        agraph (float[N, 4] x) => (float[N, 4] y) {
            h = HardSwish (x)
            low = Constant <value = float {-0.5}> ()
            high = Constant <value = float {2.0}> ()
            y = Clip (h, low, high)
        }""",
    "a scan over a vector": """
        agraph (float[N] x) => (float[N] y) {
            zero = Constant <value = float {0.0}> ()
            sum, y = Scan <num_scan_inputs = 1, body = step (float a, float b) => (float c, float d) {
                c = Add (a, b)
                d = Mul (a, c)
            }> (zero, x)
        }""",
    "a loop of known length": """
        agraph (float[N, 4] x) => (float[N, 4] y) {
            count = Constant <value = int64 {3}> ()
            cond = Constant <value = bool {1}> ()
            y = Loop (count, cond, x) <body = step (int64 i, bool c, float[N, 4] a) => (bool d, float[N, 4] b) {
                d = Identity (c)
                t = Tanh (a)
                b = Add (t, a)
            }>
        }""",
}


@pytest.mark.parametrize("count", [-1, 0, 3, 1 << 40])
@pytest.mark.parametrize(
    "text",
    [
        """agraph (float[4] x) => (float[4] y) {
            zero = Constant <value = float {0.0}> ()
            sum, y = Scan <num_scan_inputs = COUNT, body = step (float a, float b) => (float c, float d) {
                c = Add (a, b)
                d = Mul (a, c)
            }> (zero, x)
        }""",
        """agraph (float[4] x) => (float[2] y) {
            y, z = Split <axis = 0, num_outputs = COUNT> (x)
        }""",
    ],
    ids=["Scan", "Split"],
)
def test_counts_other_than_those_of_inputs_or_outputs_are_refused(text: str, count: int) -> None:
    with pytest.raises(OnnxImportError, match=f"={count} with 2 (inputs|outputs)"):
        import_to_gluon(model_of(text.replace("COUNT", str(count)), opset=18))


@pytest.mark.parametrize("name", OTHERS)
def test_models_of_other_exporters_agree_with_their_runtime(name: str, tmp_path: Path) -> None:
    model = model_of(OTHERS[name])
    block = import_to_gluon(model)
    dims = [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
    for size in (5, 3):
        shape = [d or size for d in dims]
        x = np.random.RandomState(size).uniform(-1, 1, shape).astype(np.float32)
        (expected,), _ = run_model(model, {"x": x})
        assert difference(np.asarray(expected), block(nd.array(x)).asnumpy()) < 1e-5
        block.hybridize()
    again = onnx.load(block.export_onnx(str(tmp_path / "again.onnx"), nd.array(x)))
    assert difference(np.asarray(expected), run_model(again, {"x": x})[0][0]) < 1e-5


@pytest.mark.parametrize("name", sorted(path.stem for path in EXPORTED.glob("*.onnx")))
def test_what_other_packages_have_exported_goes_in_and_out(name: str, tmp_path: Path) -> None:
    assert max(both_ways(EXPORTED / f"{name}.onnx", {}, tmp_path)) < 1e-5


def test_all_that_cannot_be_read_is_listed() -> None:
    model = model_of(
        """
        agraph (float[4] x) => (float[4] y) {
            a = DFT (x)
            b = DFT (a)
            y = Tanh (b)
        }""".replace("DFT (x)", "Bernoulli (x)").replace("DFT (a)", "Bernoulli (a)")
    )
    with pytest.raises(OnnxImportError, match="RandomUniformLike") as caught:
        import_model(model)
    assert isinstance(caught.value, NotImplementedError)


def test_a_resizing_to_no_size_is_refused() -> None:
    model = model_of("agraph (float[1, 1, 4, 4] x) => (float[1, 1, 8, 8] y) { y = Tanh (x) }")
    model.graph.node[0].op_type = "Resize"
    with pytest.raises(OnnxImportError, match="neither scales nor sizes"):
        import_model(model)


def test_metadata_has_names_and_shapes() -> None:
    model = model_of(OTHERS["a hard swish and clips"])
    assert get_model_metadata(model) == {
        "input_tensor_data": [("x", (0, 4))],
        "output_tensor_data": [("y", (0, 4))],
    }


@pytest.mark.parametrize(
    "contents", [b"", b"no model", b"\x08", bytes(100), struct.pack("<Q", 2**60)]
)
def test_what_is_no_model_is_refused(contents: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.onnx"
    path.write_bytes(contents)
    with pytest.raises(FileFormatError, match="no ONNX model"):
        import_model(str(path))


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nothing"):
        import_model(str(tmp_path / "nothing.onnx"))


def test_parameters_beside_the_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(16))
    tensor = TensorProto(name="w", dims=[4], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="../secret")
    graph = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["y"])],
        "g",
        [],
        [helper.make_tensor_value_info("y", FLOAT, [4])],
        [tensor],
    )
    folder = tmp_path / "models"
    folder.mkdir()
    path = folder / "x.onnx"
    path.write_bytes(helper.make_model(graph).SerializeToString())
    with pytest.raises(FileFormatError):
        import_model(str(path))


HOSTILE: dict[str, tuple[str, list[Any], int]] = {
    "a huge range": ("Range", [0, 2**40, 1], INT64),
    "a huge constant": ("ConstantOfShape", [[2**20, 2**20]], INT64),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_small_files_do_not_fill_the_memory(name: str) -> None:
    op_type, values, kind = HOSTILE[name]
    tensors = [
        helper.make_tensor(f"v{i}", kind, np.shape(v), np.ravel(v).tolist())
        for i, v in enumerate(values)
    ]
    nodes = [
        helper.make_node(op_type, [t.name for t in tensors], ["big"]),
        helper.make_node("Identity", ["big"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [], [helper.make_tensor_value_info("y", kind, None)], tensors
    )
    with pytest.raises(OnnxImportError):
        import_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]))


@pytest.mark.parametrize("name", ["bert", "loops", "segmenter"])
def test_damaged_files_raise_gluonics_errors(name: str, tmp_path: Path) -> None:
    """Also: they kill and hang nothing; pytest's timeout would end a hang."""
    net, inputs, dynamic = NETS[name]()
    net.initialize()
    path = net.export_onnx(
        str(tmp_path / "x.onnx"), *inputs, dynamic_input_shapes=dynamic, check=False
    )
    whole, draw, refused = Path(path).read_bytes(), random.Random(7), 0
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 2, 8))):
            place = draw.randrange(len(damaged))
            if draw.random() < 0.7:
                damaged[place] = draw.randrange(256)
            else:
                del damaged[place : place + draw.randrange(1, 9)]
        try:
            import_model(bytes(damaged))
        except mx.MXNetError:
            refused += 1
    assert refused > 10
