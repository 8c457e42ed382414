"""`ImageRecordIter` returns MXNet's batches with any number of threads, and leaves nothing behind."""

import gc
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError, NotThereError
from gluonic.io.cpp_random import CppRandom
from gluonic.io.recycled import RecycledArrays
from tests.forking import forks, is_true_in_a_child
from tests.measured import image_records as measured
from tests.measured.measure import agrees, numbers, read

MEASURED = read("image_records")
FOUND = measured.cases(mx)


@pytest.mark.parametrize("case", [c for c in MEASURED if not c.startswith("parameters")])
def test_batches_are_those_of_mxnet(case: str) -> None:
    found = numbers(FOUND[case]())
    if case.removeprefix("pixels: ") in measured.ROUNDED:
        assert np.abs(np.subtract(found, MEASURED[case])).max() <= 1
    else:
        assert agrees(found, MEASURED[case])


@pytest.mark.parametrize("kind", measured.KINDS)
def test_all_parameters_of_mxnet_are_there(kind: str) -> None:
    ours = measured.parameters(getattr(mx.io, kind))
    assert set(MEASURED[f"parameters: {kind}"]) <= set(ours)
    assert list(getattr(mx.io, kind).__signature__.parameters) == ours


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, str]:
    """A file of ten records, an index and a list."""
    return measured.write(mx, str(tmp_path))


def batches(paths: dict[str, str], **settings: Any) -> mx.io.ImageRecordIter:
    given = {"data_shape": (3, 8, 10), "batch_size": 4, "rand_crop": True, "rand_mirror": True}
    return mx.io.ImageRecordIter(path_imgrec=paths["path_imgrec"], **{**given, **settings})


def labels(found: Any) -> list[list[float]]:
    return [batch.label[0].asnumpy().tolist() for batch in found]


def workers() -> set[threading.Thread]:
    return {t for t in threading.enumerate() if t.name.startswith("gluonic batches")}


def test_the_number_of_threads_changes_no_bit(
    paths: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for cores, threads in (("1", 2), ("2", 2), ("5", 5)):
        monkeypatch.setenv("GLUONIC_NUM_THREADS", cores)
        two_passes = batches(paths, preprocess_threads=threads)
        found.append([batch.data[0].asnumpy() for _ in range(2) for batch in two_passes])
    for others in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], others, strict=True))


def test_a_pass_that_is_broken_off_begins_with_the_first_record(paths: dict[str, str]) -> None:
    found = batches(paths)
    for taken in (0, 1, 2):
        found.reset()
        for _ in range(taken):
            assert found.iter_next()
        found.reset()
        assert labels([found.next()]) == [[0, 1, 2, 3]]


def test_after_a_filled_up_batch_the_next_pass_goes_on(paths: dict[str, str]) -> None:
    found = batches(paths)
    for _ in range(3):
        found.next()
    found.reset()
    assert labels(found) == [[2, 3, 4, 5], [6, 7, 8, 9]]


def test_a_last_batch_that_is_not_filled_up_is_padded_with_zeros(paths: dict[str, str]) -> None:
    *_, last = batches(paths, round_batch=False)
    assert last.pad == 2
    assert labels([last]) == [[8, 9, 0, 0]]
    assert not last.data[0].asnumpy()[2:].any()


def test_batches_contain_the_indices_of_their_images(paths: dict[str, str]) -> None:
    assert batches(paths).next().index.tolist() == [100, 101, 102, 103]


def test_batches_are_the_programs_own(paths: dict[str, str]) -> None:
    kept = list(batches(paths, prefetch_buffer=1))
    again = list(batches(paths, prefetch_buffer=1))
    assert all(
        np.array_equal(a.data[0].asnumpy(), b.data[0].asnumpy())
        for a, b in zip(kept, again, strict=True)
    )


def test_memory_is_reused_once_no_reference_is_left() -> None:
    arrays = RecycledArrays((2, 3), np.float32)
    first = arrays.array()
    address = first.ctypes.data
    first[...] = 7
    part = first[1:].reshape(-1)[::2]
    del first
    assert arrays.array().ctypes.data != address
    assert part.tolist() == [7, 7]
    del part
    again = [arrays.array() for _ in range(2)]
    assert address in [array.ctypes.data for array in again]
    assert again[0].shape == (2, 3)
    assert again[0].flags.writeable


def test_settings_may_be_text(paths: dict[str, str]) -> None:
    found = batches(paths, data_shape="(3, 8, 10)", batch_size="4", rand_crop="True", shuffle="0")
    assert found.provide_data[0].shape == (4, 3, 8, 10)
    assert labels(found)[0] == [0, 1, 2, 3]


def test_names_of_data_and_labels_are_provided(paths: dict[str, str]) -> None:
    found = batches(paths, data_name="image", label_name="kind", dtype="uint8")
    assert [(d.name, d.shape, d.dtype) for d in found.provide_data] == [
        ("image", (4, 3, 8, 10), np.uint8)
    ]
    assert [(d.name, d.shape) for d in found.provide_label] == [("kind", (4,))]
    assert isinstance(found, mx.io.MXDataIter)


def test_one_batch_can_be_kept(paths: dict[str, str]) -> None:
    found = batches(paths)
    first = found.next()
    found.debug_skip_load()
    assert [found.next() for _ in range(5)] == [first] * 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "batch_size=0 must be at least 1"),
        ({"data_shape": (2, 8, 8)}, "Invalid output shape"),
        ({"data_shape": (3, 8)}, "Invalid output shape"),
        ({"dtype": "float16"}, "must be one of 'float32', 'uint8', 'int8'"),
        ({"inter_method": 7}, "inter_method=7 must be one of"),
        ({"part_index": 2, "num_parts": 2}, "no part part_index=2"),
        ({"random_resized_crop": True}, "does not go with rand_crop"),
        ({"resize": "large"}, "resize='large' must be an integer"),
    ],
)
def test_wrong_settings_are_refused(
    settings: dict[str, Any], message: str, paths: dict[str, str]
) -> None:
    with pytest.raises(AttributeValueError, match=message):
        batches(paths, **settings)


def test_what_must_be_given_is_named() -> None:
    with pytest.raises(AttributeValueError, match="path_imgrec and batch_size must be given"):
        mx.io.ImageRecordIter(data_shape=(3, 4, 4))


def test_unknown_settings_cause_a_warning(paths: dict[str, str]) -> None:
    with pytest.warns(UserWarning, match="and_mirror.*did you mean 'rand_mirror'"):
        batches(paths, and_mirror=True)


def test_other_augmenters_do_not_exist(paths: dict[str, str]) -> None:
    with pytest.raises(NotThereError, match="aug_seq='aug_mine'"):
        batches(paths, aug_seq="aug_mine")


def test_missing_files_are_named(tmp_path: Path) -> None:
    for settings in ({}, {"path_imgidx": str(tmp_path / "none.idx")}):
        with pytest.raises(MXNetError, match=r"none\.(rec|idx)"):
            batches({"path_imgrec": str(tmp_path / "none.rec")}, **settings)


def test_several_files_are_one(paths: dict[str, str], tmp_path: Path) -> None:
    both = ";".join([paths["path_imgrec"]] * 2)
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a.rec", "b.rec"):
        (folder / name).write_bytes(Path(paths["path_imgrec"]).read_bytes())
    for names in (both, str(folder)):
        found = [
            x for batch in labels(batches({"path_imgrec": names}, batch_size=5)) for x in batch
        ]
        assert found == [*range(10), *range(10)]


# ----------------------------------------------------------------------------------------- damage


def damage(paths: dict[str, str], number: int, offset: int, contents: bytes) -> int:
    """Overwrite something in a record; where that record begins."""
    start = int(Path(paths["path_imgidx"]).read_text().splitlines()[number].split("\t")[1])
    data = bytearray(Path(paths["path_imgrec"]).read_bytes())
    data[start + offset : start + offset + len(contents)] = contents
    Path(paths["path_imgrec"]).write_bytes(data)
    return start


def test_a_damaged_image_is_named_by_its_offset_and_the_next_batch_comes(
    paths: dict[str, str],
) -> None:
    start = damage(paths, 5, 32, b"nothing")
    found = batches(paths)
    assert labels([found.next()]) == [[0, 1, 2, 3]]
    with pytest.raises(FileFormatError, match=f"the record at byte {start} of .*a.rec") as caught:
        found.next()
    assert "test_image_records.py" in str(caught.value)
    assert labels(found) == [[8, 9, 0, 1]]


def test_an_image_that_cannot_be_resized_is_named_by_its_offset(tmp_path: Path) -> None:
    path = str(tmp_path / "a.rec")
    record = mx.recordio.MXRecordIO(path, "w")
    record.write(mx.recordio.pack((0, 0, 0, 0), measured.png(np.zeros((2, 900, 3), np.uint8))))
    record.close()
    batch = batches({"path_imgrec": path}, batch_size=1, resize=2**20)
    with pytest.raises(MXNetError, match=r"OpenCV refuses this image.*\n.*the record at byte 0 of"):
        batch.next()


def test_a_damaged_file_ends_the_pass(paths: dict[str, str]) -> None:
    start = damage(paths, 5, 0, b"nothing")
    found = batches(paths)
    for _ in range(2):
        assert labels([found.next()]) == [[0, 1, 2, 3]]
        with pytest.raises(FileFormatError, match=f"damaged at byte {start}"):
            found.next()
        with pytest.raises(StopIteration):
            found.next()
        found.reset()


def test_a_record_that_is_no_image_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "a.rec")
    record = mx.recordio.MXRecordIO(path, "w")
    record.write(b"short")
    record.close()
    with pytest.raises(FileFormatError, match="no image"):
        batches({"path_imgrec": path}, batch_size=1).next()


def test_an_image_without_a_label_in_the_list_is_named(paths: dict[str, str]) -> None:
    Path(paths["path_imglist"]).write_text("100\t3\tx.png\n")
    with pytest.raises(MXNetError, match="no label for image 101"):
        batches(paths, path_imglist=paths["path_imglist"]).next()
    Path(paths["path_imglist"]).write_text("100\t3\tx.png\nx\ty\tz\n")
    with pytest.raises(FileFormatError, match="line 2: Bad ImageList format"):
        batches(paths, path_imglist=paths["path_imglist"])


def test_an_index_of_something_else_is_refused(paths: dict[str, str]) -> None:
    Path(paths["path_imgidx"]).write_text("0\tx\n")
    with pytest.raises(FileFormatError, match="no index of records"):
        batches(paths, path_imgidx=paths["path_imgidx"])
    Path(paths["path_imgidx"]).write_text("0\t1000000\n")
    with pytest.raises(FileFormatError, match="after the end"):
        batches(paths, path_imgidx=paths["path_imgidx"]).next()


# --------------------------------------------------------------------------------------- lifetime


def test_ten_passes_leave_nothing_behind(paths: dict[str, str]) -> None:
    before = workers()
    found = batches(paths, preprocess_threads=3)
    counts = []
    for _ in range(10):
        for batch in found:
            del batch
        found.reset()
        gc.collect()
        counts.append(
            (len(workers() - before), len(os.listdir("/proc/self/fd")), len(gc.get_objects()))
        )
    assert {threads for threads, _, _ in counts} == {0}
    # after a filled up batch the file stays open for the pass that goes on
    assert len({files for _, files, _ in counts[2::2]}) == 1
    assert counts[-1][2] - counts[2][2] < 50


def test_threads_end_with_the_iterator(paths: dict[str, str]) -> None:
    before = workers()
    found = batches(paths, batch_size=1, prefetch_buffer=2)
    found.next()
    mine = workers() - before
    assert mine
    del found
    gc.collect()
    for thread in mine:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in mine)


@forks
def test_a_forked_child_has_to_reset_the_iterator(paths: dict[str, str]) -> None:
    found = batches(paths)
    found.next()

    def child() -> bool:
        with pytest.raises(MXNetError, match="in the parent process"):
            found.next()
        found.reset()
        return labels(found)[0] == [0, 1, 2, 3]

    assert is_true_in_a_child(child)


# ---------------------------------------------------------------------------------------- numbers


def test_integers_lie_between_their_limits() -> None:
    random = CppRandom(3)
    drawn = {random.integer(-2, 2) for _ in range(200)}
    assert drawn == {-2, -1, 0, 1, 2}
    assert random.integer(0, 2**32 - 1) >= 0


def test_normal_numbers_have_their_deviation() -> None:
    drawn = CppRandom(3).normals(2.0, 20_001)
    assert len(drawn) == 20_001
    assert abs(np.mean(drawn)) < 0.05
    assert abs(np.std(drawn) - 2) < 0.05
