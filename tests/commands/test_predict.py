"""``gluonic predict``, ``gluonic bench`` and ``gluonic warm`` with a model."""

import csv
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.image_files import encode
from tests.commands.conftest import Line
from tests.face.commands import gluonic_command


@pytest.fixture
def expected(folder: Path) -> np.ndarray:
    """What the net in the folder computes for ``in.npz``, which is there, too."""
    data = np.random.RandomState(1).rand(5, 3, 8, 8).astype("float32")
    np.savez(folder / "in.npz", data=data)
    files = str(folder / "net-symbol.json"), ["data"], str(folder / "net-0000.params")
    values: np.ndarray = mx.gluon.SymbolBlock.imports(*files)(mx.nd.array(data)).asnumpy()
    return values


def test_arrays_are_predicted_in_batches_and_written(folder: Path, expected: np.ndarray) -> None:
    line = ["predict", "net-symbol.json", "in.npz", "--output", "out.npz", "--batch-size", "2"]
    done = gluonic_command(*line, folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "out.npz: 5 samples\n", "")
    (found,) = np.load(folder / "out.npz").values()
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_the_best_classes_are_shown_with_their_names(
    folder: Path, expected: np.ndarray, line: Line
) -> None:
    (folder / "names.txt").write_text("".join(f"kind {i}\n" for i in range(10)))
    options = ["--labels", "names.txt", "--top", "2", "--softmax", "--json"]
    samples = json.loads(line("predict", "net-symbol.json", "in.npz", *options).stdout)
    assert [one["sample"] for one in samples] == ["0", "1", "2", "3", "4"]
    for one, scores in zip(samples, expected, strict=True):
        best = np.argsort(-scores)[:2]
        assert [c["label"] for c in one["net_dense0_fwd_output"]] == [f"kind {i}" for i in best]
        exponents = np.exp(scores - scores.max())
        share = (exponents / exponents.sum())[best[0]]
        assert one["net_dense0_fwd_output"][0]["score"] == pytest.approx(share, rel=1e-4)
    shown = line("predict", "net-symbol.json", "in.npz", "--top", "1", "--labels", "names.txt")
    assert shown.stdout.splitlines()[1].endswith(f"kind {expected[0].argmax()}")


def test_rows_go_in_and_out(folder: Path, expected: np.ndarray, line: Line) -> None:
    np.savetxt(folder / "in.csv", np.load(folder / "in.npz")["data"].reshape(5, -1), delimiter=",")
    options = ["--shape", "data=1,3,8,8", "--output", "out.csv"]
    assert line("predict", "net-symbol.json", "in.csv", *options).returncode == 0
    with (folder / "out.csv").open() as stream:
        rows = [[float(number) for number in row] for row in csv.reader(stream)]
    assert np.allclose(rows, expected, rtol=1e-4, atol=1e-5)


def test_images_are_cut_scaled_and_normalized(folder: Path, line: Line) -> None:
    for name, value in {"dark.png": 0, "bright.png": 255}.items():
        (folder / name).write_bytes(encode(np.full((20, 30, 3), value, "uint8"), 9, ".png"))
    options = ["--shape", "data=1,3,8,8", "--mean", "0.5,0.5,0.5", "--std", "0.25,0.25,0.25"]
    images = ["dark.png", "bright.png"]
    assert (
        line("predict", "net-symbol.json", *images, *options, "--output", "a.npz").returncode == 0
    )
    same = np.full((2, 3, 8, 8), 2, "float32")
    same[0] = -2
    np.savez(folder / "in.npz", data=same)
    line("predict", "net-symbol.json", "in.npz", "--output", "b.npz")
    (a,), (b,) = (np.load(folder / file).values() for file in ("a.npz", "b.npz"))
    assert np.allclose(a, b, rtol=1e-4, atol=1e-5)


def test_labels_of_old_models_need_no_values(tmp_path: Path, line: Line) -> None:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    mx.sym.SoftmaxOutput(x, name="softmax").save(str(tmp_path / "old-symbol.json"))
    values = {"arg:fc_weight": mx.nd.ones((3, 2)), "arg:fc_bias": mx.nd.array([0, 1, 2])}
    mx.nd.save(str(tmp_path / "old-0001.params"), values)
    np.savez(tmp_path / "in.npz", data=np.ones((4, 2), "float32"))
    (entry, *_) = json.loads(line("predict", "old-symbol.json", "in.npz", "--json").stdout)
    assert entry["softmax_output"][0]["class"] == 2


@pytest.mark.parametrize(
    ("inputs", "status", "said"),
    [
        (["none.npz"], 1, "none.npz"),
        (["in.npz", "bad.csv"], 2, "several kinds"),
        (["bad.csv"], 1, "not rows of numbers"),
        (["cat.png"], 2, "--shape data=1,3,224,224"),
        (["other.npz"], 2, "has no input 'dada'; did you mean 'data'"),
        (["in.npz", "--params", "less.params"], 2, "no values for net_conv0_bias"),
        (["in.npz", "--output", "out.txt"], 2, ".npz"),
        (["in.npz", "--labels", "bad.csv"], 2, "2 names for 10 classes"),
        (["in.npz", "--batch-size", "0"], 2, "positive"),
        (["narrow.npz"], 1, "Convolution"),
        (["net-symbol.json"], 2, "a network"),
    ],
)
def test_what_does_not_suit_the_model_is_refused(
    inputs: list[str], status: int, said: str, folder: Path, expected: np.ndarray, line: Line
) -> None:
    (folder / "bad.csv").write_text("a,b\n1,2\n")
    (folder / "cat.png").write_bytes(encode(np.zeros((9, 9, 3), "uint8"), 9, ".png"))
    np.savez(folder / "other.npz", dada=np.ones((1, 3, 8, 8), "f4"), x=np.ones((1, 2), "f4"))
    np.savez(folder / "narrow.npz", data=np.ones((1, 2, 8, 8), "f4"))
    arrays = mx.nd.load(str(folder / "net-0000.params"))
    del arrays["arg:net_conv0_bias"]
    mx.nd.save(str(folder / "less.params"), arrays)
    refused = line("predict", "net-symbol.json", *inputs)
    assert (refused.returncode, refused.stdout) == (status, "")
    assert said in refused.stderr


# ------------------------------------------------------------------------------------- bench


def test_each_combination_is_timed_and_drawn(folder: Path) -> None:
    options = ["--batch-sizes", "1,3", "--threads", "1", "--seconds", "0", "--output", "times.svg"]
    shape = ["--shape", "data=2,3,8,8"]
    timed = gluonic_command("bench", "net-symbol.json", *shape, *options, "--json", folder=folder)
    assert (timed.returncode, timed.stderr) == (0, "")
    times = json.loads(timed.stdout)["times"]
    cases = [(one["batch"], one["threads"], one["mode"]) for one in times]
    modes = ("eager", "hybridized")
    assert cases == [(batch, 1, mode) for batch in (1, 3) for mode in modes]
    assert all(one["seconds"] > 0 and one["calls"] >= 5 for one in times)
    chart = ElementTree.parse(folder / "times.svg").getroot()
    words = {element.text for element in chart.iter() if element.text}
    assert {"batch 1, 1 thread", "batch 3, 1 thread", *modes} <= words


def test_a_model_without_parameters_can_be_timed(folder: Path, line: Line) -> None:
    (folder / "net-0000.params").unlink()
    modes = ["hybridized", *(["onnxruntime"] if find_spec("onnxruntime") else [])]
    options = ["--seconds", "0", "--modes", ",".join(modes), "--shape", "data=1,3,8,8"]
    timed = line("bench", "net-symbol.json", *options)
    assert [row.split()[0] for row in timed.stdout.splitlines()[1:]] == modes


def test_what_cannot_be_timed_is_refused(folder: Path, line: Line) -> None:
    for options, said in {
        (): "--shape data=",
        ("--shape", "data=1,3,8,8", "--output", "x.png"): "times.svg",
        ("--shape", "data=1,3,8,8", "--modes", "lazy"): "eager, hybridized",
        ("--shape", "data=1,3,8,8", "--batch-sizes", "0"): "1,8,64",
    }.items():
        refused = line("bench", "net-symbol.json", *options)
        assert refused.returncode == 2
        assert said in refused.stderr
    failed = line("bench", "net-symbol.json", "--shape", "data=1,2,8,8")
    assert failed.returncode == 1
    assert "Convolution" in failed.stderr


# ------------------------------------------------------------------------------------- warm


def test_a_warm_model_is_found_on_disk(folder: Path) -> None:
    line = ["warm", "net-symbol.json", "--shape", "data=2,3,8,8"]
    cache = str(folder / "cache")
    settings: dict[str, Any] = {"GLUONIC_CACHE_DIR": cache, "GLUONIC_CACHE": "1"}
    first, second = (gluonic_command(*line, folder=folder, **settings) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "gluonic: 0 new" not in first.stderr
    assert "gluonic: 0 new pieces of machine code" in second.stderr


def test_a_model_is_not_warmed_without_shapes_or_with_wrong_ones(folder: Path) -> None:
    for options, status in {(): 2, ("--shape", "data=1,2,8,8"): 1}.items():
        cache = str(folder / "cache")
        refused = gluonic_command(
            "warm", "net-symbol.json", *options, folder=folder, GLUONIC_CACHE_DIR=cache
        )
        assert refused.returncode == status
        assert "Traceback" not in refused.stderr
