"""Iterators over images read, order, augment and batch as the real MXNet's; damage is named."""

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import image
from gluonic.graph.errors import FileFormatError
from tests.measured import image_iterators
from tests.measured.measure import agrees, numbers, read

MEASURED = read("image_iterators")


@pytest.mark.parametrize("case", image_iterators.cases(mx))
def test_epochs_are_those_of_mxnet(case: str) -> None:
    assert agrees(numbers(image_iterators.cases(mx)[case]()), MEASURED[case])


def files(folder: Path, count: int = 6, broken: tuple[int, ...] = ()) -> dict[str, Any]:
    """Arguments of iterators over pictures of one grey each; some of them are damaged."""
    contents = [image_iterators.png(np.full((4, 5, 3), 10 * n, np.uint8)) for n in range(count)]
    for number in broken:
        contents[number] = contents[number][:30]
    return image_iterators.written(mx, folder, contents, [[float(n)] for n in range(count)])


SOURCES = ("list", "lst", "rec", "rec and lst", "rec without idx")


@pytest.mark.parametrize("source", SOURCES)
def test_a_damaged_image_is_named_and_the_next_ones_follow(tmp_path: Path, source: str) -> None:
    names = {
        "list": r"3\.png",
        "lst": r"3\.png",
        "rec without idx": r"record number 4.*a\.rec",
    }
    iterator: Any = image.ImageIter(2, (3, 4, 5), **files(tmp_path, broken=(3,))[source])
    assert iterator.next().label[0].asnumpy().tolist() == [0, 1]
    with pytest.raises(FileFormatError, match=names.get(source, r"index: 9.*a\.rec")):
        iterator.next()
    assert iterator.next().label[0].asnumpy().tolist() == [4, 5]
    iterator.reset()
    assert iterator.next().label[0].asnumpy().tolist() == [0, 1]


def test_images_that_an_iterator_finds_invalid_are_left_out(tmp_path: Path) -> None:
    class Choosy(image.ImageIter):
        def check_valid_image(self, data: Any) -> None:
            if float(data[0, 0, 0].asscalar()) in (10, 20, 50):
                raise RuntimeError("too grey")

    iterator: Any = Choosy(2, (3, 4, 5), **files(tmp_path)["lst"])
    assert [batch.label[0].asnumpy().tolist() for batch in iterator] == [[0, 3], [4, 0]]


def test_an_iterator_can_decode_otherwise(tmp_path: Path) -> None:
    class Own(image.ImageIter):
        cursors: list[int] = []

        def imdecode(self, s: Any) -> Any:
            self.cursors.append(self.cur)
            return super().imdecode(s) + 1

    iterator: Any = Own(3, (3, 4, 5), **files(tmp_path)["rec"])
    assert [float(batch.data[0][1].mean().asscalar()) for batch in iterator] == [11, 41]
    assert Own.cursors == [1, 2, 3, 4, 5, 6]


def test_no_more_is_read_than_a_batch_needs(tmp_path: Path) -> None:
    iterator: Any = image.ImageIter(2, (3, 4, 5), **files(tmp_path)["lst"])
    positions = [(iterator.cur, iterator.next() and iterator.cur) for _ in range(3)]
    assert positions == [(0, 2), (2, 4), (4, 6)]


def test_the_child_of_a_fork_decodes_by_threads_of_its_own(tmp_path: Path) -> None:
    iterator: Any = image.ImageIter(2, (3, 4, 5), **files(tmp_path)["lst"])
    iterator.next()
    child = os.fork()
    if child == 0:  # it must not come back to pytest
        os._exit(int(iterator.next().label[0].asnumpy().tolist() != [2, 3]))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("threads", ["1", "3"])
def test_batches_do_not_depend_on_how_many_threads_decode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    monkeypatch.setenv("MXNET_CPU_WORKER_NTHREADS", threads)
    random.seed(1)
    iterator: Any = image.ImageIter(4, (3, 4, 5), shuffle=True, **files(tmp_path)["rec"])
    labels = [label for batch in iterator for label in batch.label[0].asnumpy().tolist()]
    random.seed(1)
    order = [float(n) for n in range(6)]
    random.shuffle(order)
    assert labels == order + order[:2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "no source of images"),
        ({"imglist": [[0, "a.png"]], "dtype": "float16"}, "float16"),
        ({"imglist": [[0, "a.png"]], "data_shape": (1, 4, 4)}, "3 channels"),
        ({"imglist": [[0, "a.png"]], "data_shape": (4, 4)}, "length 3"),
        ({"imglist": [[0, "a.png"]], "num_parts": 2, "part_index": 2}, "2 parts"),
    ],
)
def test_an_iterator_that_makes_no_sense_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        image.ImageIter(2, **{"data_shape": (3, 4, 4), **arguments})


def test_records_without_an_index_are_not_shuffled(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="path_imgidx"):
        image.ImageIter(2, (3, 4, 5), shuffle=True, **files(tmp_path)["rec without idx"])


def test_an_index_beyond_the_end_of_its_records_is_named(tmp_path: Path) -> None:
    given = files(tmp_path)["rec"]
    index, size = Path(given["path_imgidx"]), Path(given["path_imgrec"]).stat().st_size
    index.write_text(f"0\t0\n3\t{size}\n")
    with pytest.raises(FileFormatError, match=r"index: 3 of .*a\.rec"):
        image.ImageIter(2, (3, 4, 5), **given).next()


@pytest.mark.parametrize(
    "line", ["a.png", "one\t2\ta.png", "1\ttwo\ta.png", "1\t2\ta\0.png", "1\t", ""]
)
def test_a_damaged_list_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.lst"
    path.write_text(f"0\t1\tfirst.png\n{line}\n")
    with pytest.raises(FileFormatError, match=r"a\.lst, line 2"):
        image.ImageIter(2, (3, 4, 5), path_imglist=str(path))
    path.write_bytes(b"0\t1\t\x80.png\n")
    with pytest.raises(FileFormatError, match=r"a\.lst.*byte 4"):
        image.ImageIter(2, (3, 4, 5), path_imglist=str(path))
    with pytest.raises(mx.MXNetError, match=r"absent\.lst"):
        image.ImageIter(2, (3, 4, 5), path_imglist=str(tmp_path / "absent.lst"))
