"""`im2rec` lists images and packs them into records, as MXNet's tool does."""

import logging
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import gluonic as mx
from gluonic import recordio
from gluonic.graph.image_files import decode, encode
from gluonic.tools.im2rec import main
from gluonic.tools.image_lists import ListedImage, read_list


def image(number: int, height: int = 6, width: int = 8) -> np.ndarray:
    return np.random.RandomState(number).randint(0, 256, (height, width, 3)).astype(np.uint8)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Folders with pictures, and something else."""
    root = tmp_path / "photos"
    for number, name in enumerate(["b/1.png", "a/2.PNG", "a/1.jpg", "a/deep/3.png", "0.png"]):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(image(number), 9, path.suffix))
    (root / "a" / "notes.txt").write_text("nothing")
    return root


def listed(path: Path) -> list[ListedImage]:
    return list(read_list(str(path)))


def records(prefix: Path) -> dict[int, tuple[recordio.IRHeader, bytes]]:
    reader = recordio.MXIndexedRecordIO(f"{prefix}.idx", f"{prefix}.rec", "r")
    return {key: recordio.unpack(reader.read_idx(key) or b"") for key in reader.keys}


def test_folders_are_labels(
    photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "all"), str(photos), "--list", "--recursive", "--no-shuffle"]) == 0
    assert (tmp_path / "all.lst").read_text() == (
        "0\t0.000000\t0.png\n1\t1.000000\ta/1.jpg\n2\t1.000000\ta/2.PNG\n"
        "3\t2.000000\ta/deep/3.png\n4\t3.000000\tb/1.png\n"
    )
    assert capsys.readouterr().out.startswith(". 0\na 1\na/deep 2\nb 3\n")


def test_without_folders_all_labels_are_0(photos: Path, tmp_path: Path) -> None:
    assert main([str(tmp_path / "all"), str(photos / "a"), "--list", "--exts", ".png"]) == 0
    assert listed(tmp_path / "all.lst") == [(0, "2.PNG", (0.0,))]


def test_lists_are_shuffled_as_by_mxnet(tmp_path: Path) -> None:
    root = tmp_path / "photos"
    root.mkdir()
    for i in range(8):
        (root / f"{i}.jpg").touch()
    main([str(tmp_path / "all"), str(root), "--list"])
    # random.seed(100); random.shuffle(list(range(8)))
    assert [number for number, _, _ in listed(tmp_path / "all.lst")] == [0, 4, 7, 5, 1, 6, 3, 2]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--chunks", "2"], {"_0": 4, "_1": 3}),
        (["--train-ratio", "0.5"], {"_train": 3, "_val": 4}),
        (["--train-ratio", "0.5", "--test-ratio", "0.5"], {"_train": 3, "_test": 3}),
        (
            ["--train-ratio", "0.5", "--test-ratio", "0.3", "--chunks", "2"],
            {"_0_train": 2, "_0_test": 1, "_0_val": 1, "_1_train": 2, "_1_test": 1, "_1_val": 0},
        ),
    ],
)
def test_images_are_divided(arguments: list[str], expected: dict[str, int], tmp_path: Path) -> None:
    root = tmp_path / "photos"
    root.mkdir()
    for i in range(7):
        (root / f"{i}.jpg").touch()
    assert main([str(tmp_path / "x"), str(root), "--list", *arguments]) == 0
    found = {path.stem[1:]: len(listed(path)) for path in tmp_path.glob("x*.lst")}
    assert found == expected


def test_records_are_in_the_order_of_the_list(photos: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "all"
    main([str(prefix), str(photos), "--list", "--recursive"])
    order = listed(tmp_path / "all.lst")
    for threads in ("1", "3"):
        arguments = [str(prefix), str(photos), "--encoding", ".png", "--num-thread", threads]
        assert main([*arguments, "--quality", "3"]) == 0
        found = records(prefix)
        assert list(found) == [number for number, _, _ in order]
        for number, path, (label,) in order:
            header, contents = found[number]
            assert (header.id, header.label) == (number, label)
            assert np.array_equal(
                decode(contents, to_rgb=False), decode((photos / path).read_bytes(), to_rgb=False)
            )


def test_files_can_be_packed_as_they_are(photos: Path, tmp_path: Path) -> None:
    prefix = tmp_path / "all"
    main([str(prefix), str(photos), "--list", "--recursive"])
    assert main([str(prefix), str(photos), "--pass-through"]) == 0
    for number, path, _ in listed(tmp_path / "all.lst"):
        assert records(prefix)[number][1] == (photos / path).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        (["--resize", "4"], (4, 5, 3)),
        (["--center-crop"], (6, 6, 3)),
        (["--center-crop", "--resize", "3"], (3, 3, 3)),
        (["--color", "0"], (6, 8, 1)),
        (["--color", "-1", "--encoding", ".png", "--quality", "1"], (6, 8, 3)),
    ],
)
def test_images_are_cut_and_resized(
    arguments: list[str], shape: tuple[int, ...], photos: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.lst").write_text("7\t1\t0.png\n")
    assert main([str(tmp_path / "x"), str(photos), *arguments]) == 0
    _, contents = records(tmp_path / "x")[7]
    assert decode(contents, -1).shape == shape


def test_several_labels_are_packed_if_asked(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "x.lst").write_text("7\t1\t2.5\t0.png\n")
    main([str(tmp_path / "x"), str(photos)])
    assert records(tmp_path / "x")[7][0].label == 1
    main([str(tmp_path / "x"), str(photos), "--pack-label"])
    assert records(tmp_path / "x")[7][0].label.tolist() == [1, 2.5]


def test_files_that_cannot_be_packed_are_reported_and_left_out(
    photos: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "x.lst").write_text(
        "0\t1\tnone.png\nno line\nx\t1\t0.png\n1\t1\ta/notes.txt\n2\t1\t0.png\n"
    )
    with caplog.at_level(logging.ERROR):
        assert main([str(tmp_path / "x"), str(photos)]) == 1
    assert list(records(tmp_path / "x")) == [2]
    messages = [record.getMessage() for record in caplog.records]
    assert [line.split(" is left out")[0].split("/")[-1] for line in messages[:2]] == [
        "x.lst: line 2",
        "x.lst: line 3",
    ]
    assert {line.split(" is left out")[0] for line in messages[2:]} == {"none.png", "a/notes.txt"}


def test_several_lists_of_a_prefix_are_packed(photos: Path, tmp_path: Path) -> None:
    for name in ("x_train", "x_val", "y"):
        (tmp_path / f"{name}.lst").write_text("2\t1\t0.png\n")
    assert main([str(tmp_path / "x"), str(photos)]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.rec")) == ["x_train.rec", "x_val.rec"]


def test_a_missing_list_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "x"), str(tmp_path)]) == 1
    assert "there is no list" in capsys.readouterr().err
    assert main([str(tmp_path / "x"), str(tmp_path / "none"), "--list"]) == 1
    assert "none" in capsys.readouterr().err


def test_records_are_what_iterators_read(photos: Path, tmp_path: Path) -> None:
    prefix = str(tmp_path / "all")
    main([prefix, str(photos), "--list", "--recursive", "--no-shuffle"])
    main([prefix, str(photos)])
    batches = mx.io.ImageRecordIter(
        path_imgrec=f"{prefix}.rec", path_imgidx=f"{prefix}.idx", data_shape=(3, 6, 8), batch_size=5
    )
    assert batches.getlabel().asnumpy().tolist() == [0, 1, 1, 2, 3]


def test_the_file_runs_where_mxnets_is_asked_for(
    photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["im2rec", str(tmp_path / "all"), str(photos), "--list"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(mx.test_utils.get_im2rec_path(), run_name="__main__")
    assert ended.value.code == 0
    assert listed(tmp_path / "all.lst") == [ListedImage(0, "0.png", (0.0,))]
