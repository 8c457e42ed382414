"""Files of records have MXNet's bytes, survive pickling and forks, and are refused where they are damaged."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic.graph.errors import FileFormatError, MXNetError
from gluonic.recordio import (
    IRHeader,
    MXIndexedRecordIO,
    MXRecordIO,
    pack,
    pack_img,
    unpack,
    unpack_img,
)
from gluonic.recordio.framing import MAGIC, framed
from tests.forking import forks, is_true_in_a_child
from tests.measured import records as measured
from tests.measured.measure import agrees, numbers, read

MEASURED = read("records")
FOUND = measured.cases(mx)
# records that often have the magic number within, aligned or not
RECORDS = st.lists(
    st.lists(st.sampled_from([MAGIC, MAGIC[:2], b"x", b"abcd", b""]), max_size=9).map(b"".join)
)


def write(path: Path, contents: list[bytes]) -> None:
    record = MXRecordIO(str(path), "w")
    for content in contents:
        record.write(content)
    record.close()


def read_all(path: Path) -> list[bytes]:
    record, found = MXRecordIO(str(path), "r"), []
    while (content := record.read()) is not None:
        found.append(content)
    assert record.read() is None
    return found


@pytest.mark.parametrize("case", MEASURED)
def test_records_are_written_as_mxnet_writes_them(case: str) -> None:
    assert agrees(numbers(FOUND[case]()), MEASURED[case])


@given(contents=RECORDS)
def test_written_records_are_read_back(
    contents: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("records") / "a.rec"
    write(path, contents)
    assert read_all(path) == contents


@given(contents=RECORDS)
def test_no_record_contains_the_magic_number(contents: list[bytes]) -> None:
    for content in contents:
        file = framed(content)
        words = [file[i : i + 4] for i in range(0, len(file), 4)]
        parts, position = 0, 0
        while position < len(file):
            length = int.from_bytes(file[position + 4 : position + 8], "little") & (1 << 29) - 1
            position += 8 + length + -length % 4
            parts += 1
        assert words.count(MAGIC) == parts


@given(keys=st.lists(st.integers(), unique=True, min_size=1), draw=st.data())
def test_records_are_found_by_their_keys(
    keys: list[int], draw: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("indexed")
    files = str(folder / "a.idx"), str(folder / "a.rec")
    writer = MXIndexedRecordIO(*files, "w")
    for key in keys:
        writer.write_idx(key, b"%d" % key)
    writer.close()
    reader = MXIndexedRecordIO(*files, "r")
    assert reader.keys == keys
    for key in draw.draw(st.lists(st.sampled_from(keys))):
        assert reader.read_idx(key) == b"%d" % key


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """An index and a file of the records 0 to 4."""
    found = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    record = MXIndexedRecordIO(*found, "w")
    for key in range(5):
        record.write_idx(key, b"record %d" % key)
    record.close()
    return found


def test_a_key_is_found_after_the_last_record_was_read(files: tuple[str, str]) -> None:
    record = MXIndexedRecordIO(*files, "r")
    assert record.read_idx(4) == b"record 4"
    assert record.read() is None
    assert record.read_idx(0) == b"record 0"
    assert record.read() == b"record 1"


def test_threads_read_by_keys_at_a_time(files: tuple[str, str]) -> None:
    record = MXIndexedRecordIO(*files, "r")
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(record.read_idx, list(range(5)) * 200))
    assert found == [b"record %d" % i for i in range(5)] * 200


def test_keys_can_be_texts(tmp_path: Path) -> None:
    paths = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    record = MXIndexedRecordIO(*paths, "w", str)
    record.write_idx("cat", b"meow")
    record.close()
    assert MXIndexedRecordIO(*paths, "r", str).read_idx("cat") == b"meow"


def test_reset_goes_back_and_empties_what_is_written(files: tuple[str, str]) -> None:
    record = MXIndexedRecordIO(*files, "r")
    record.read()
    record.reset()
    assert record.read() == b"record 0"
    record = MXIndexedRecordIO(*files, "w")
    record.write_idx(0, b"x")
    record.reset()
    assert (record.tell(), record.keys, record.idx) == (0, [], {})


@pytest.mark.parametrize("duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_begin_at_the_first_record_and_leave_the_original_alone(
    duplicate: type, files: tuple[str, str]
) -> None:
    for record in (MXRecordIO(files[1], "r"), MXIndexedRecordIO(*files, "r")):
        assert record.read() == b"record 0"
        twin = duplicate(record)
        assert twin.is_open
        assert twin.read() == b"record 0"
        assert record.read() == b"record 1"
    record.close()
    assert not duplicate(record).is_open


def test_a_copy_of_a_writer_starts_the_file_again(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    record = MXRecordIO(str(path), "w")
    record.write(b"old")
    twin = pickle.loads(pickle.dumps(record))
    assert not record.is_open
    twin.write(b"new")
    twin.close()
    assert read_all(path) == [b"new"]


@forks
def test_a_forked_child_can_read_by_key_but_not_sequentially(files: tuple[str, str]) -> None:
    record = MXIndexedRecordIO(*files, "r")
    assert record.read() == b"record 0"

    def child() -> bool:
        with pytest.raises(RuntimeError, match="Forbidden operation in multiple processes"):
            record.read()
        return record.read_idx(3) == b"record 3" and record.read() == b"record 4"

    assert is_true_in_a_child(child)
    assert record.read() == b"record 1"


def test_the_error_about_a_closed_file_states_that_it_is_closed(files: tuple[str, str]) -> None:
    record = MXRecordIO(files[1], "r")
    record.close()
    record.close()
    with pytest.raises(RuntimeError, match=r"closed; reset\(\) opens it"):
        record.read()
    assert MXIndexedRecordIO(*files, "r").is_open


def test_files_are_opened_for_reading_or_writing_only(files: tuple[str, str]) -> None:
    reader, writer = MXIndexedRecordIO(*files, "r"), MXRecordIO(files[1] + "2", "w")
    for use in (lambda: reader.write(b""), reader.tell, writer.read):
        with pytest.raises(AssertionError, match="opened to be"):
            use()
    with pytest.raises(TypeError, match="must be bytes"):
        writer.write("text")
    with pytest.raises(ValueError, match="Invalid flag a"):
        MXRecordIO(files[1], "a")
    with pytest.raises(KeyError):
        reader.read_idx(9)


@pytest.mark.parametrize("flag", ["r", "w"])
def test_a_file_that_cannot_be_opened_is_named(flag: str, tmp_path: Path) -> None:
    path = str(tmp_path / "none" / "a.rec")
    with pytest.raises(MXNetError, match=r"a\.rec") as caught:
        MXRecordIO(path, flag)
    assert isinstance(caught.value, OSError)
    with pytest.raises(MXNetError, match=r"a\.idx"):
        MXIndexedRecordIO(str(tmp_path / "none" / "a.idx"), str(tmp_path / "b.rec"), "w")


def test_damage_is_named_by_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.rec"
    write(path, [b"first", b"abcd" + MAGIC + b"efgh"])
    good = path.read_bytes()
    for at, text in ((0, "damaged at byte 0: a record must begin"), (16, "damaged at byte 16"),
                     (23, "damaged at byte 16: a part of kind"), (28, "damaged at byte 28")):  # fmt: skip
        path.write_bytes(good[:at] + bytes([good[at] ^ 0xE0]) + good[at + 1 :])
        with pytest.raises(FileFormatError, match=text) as caught:
            read_all(path)
        assert str(path) in str(caught.value)
    for length in (*range(1, 16), *range(17, len(good))):
        path.write_bytes(good[:length])
        with pytest.raises(FileFormatError, match=r"damaged at byte (0|16|28)"):
            read_all(path)


@pytest.mark.parametrize("line", [b"no place", b"1\tx", b"\xff\xff\t1", b"1\t-8", b"1\t%d" % 2**63])
def test_a_damaged_index_is_refused(line: bytes, files: tuple[str, str]) -> None:
    Path(files[0]).write_bytes(b"0\t0\n" * 2000 + line)  # more than is read at once
    with pytest.raises(FileFormatError, match=r"a\.idx: after \d+ keys"):
        MXIndexedRecordIO(*files, "r")


def test_an_index_that_points_elsewhere_is_refused(files: tuple[str, str]) -> None:
    Path(files[0]).write_text("0\t4\n1\t1000000\n")
    record = MXIndexedRecordIO(*files, "r")
    with pytest.raises(FileFormatError, match="damaged at byte 4"):
        record.read_idx(0)
    assert record.read_idx(1) is None


def test_headers_show_themselves_as_mxnets() -> None:
    header = IRHeader(0, 1.5, 2, 3)
    assert repr(header) == "HEADER(flag=0, label=1.5, id=2, id2=3)"
    assert pickle.loads(pickle.dumps(header)) == header
    assert header.count(3) == 1


@pytest.mark.parametrize("record", [b"", b"x" * 23, pack((0, [1, 2, 3], 0, 0), b"")[:-1]])
def test_records_without_a_header_are_refused(record: bytes) -> None:
    with pytest.raises(FileFormatError, match="is no image"):
        unpack(record)


@given(
    label=st.floats(width=32, allow_nan=False)
    | st.lists(st.floats(width=32, allow_nan=False), min_size=1),
    number=st.integers(0, 2**64 - 1),
    contents=st.binary(),
)
def test_packed_records_are_unpacked(label: object, number: int, contents: bytes) -> None:
    header, found = unpack(pack(IRHeader(0, label, number, 1), contents))
    assert np.array_equal(header.label, np.float32(label))  # type: ignore[arg-type]
    assert (header.id, header.id2, found) == (number, 1, contents)


@pytest.mark.parametrize("shape", [(5, 4), (5, 4, 3), (5, 4, 4)])
def test_images_are_packed_and_unpacked(shape: tuple[int, ...]) -> None:
    image = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    header, found = unpack_img(pack_img((0, 3, 1, 0), image, 9, ".png"))
    assert header.label == 3
    assert np.array_equal(found, image)
    header, found = unpack_img(pack_img((0, 3, 1, 0), image, 9, ".png"), 0)
    assert found.shape == (5, 4)
    assert unpack_img(pack_img((0, [1, 2], 1, 0), mx.nd.array(image, dtype="uint8")), 1)[
        1
    ].shape == (5, 4, 3)


def test_writers_close_with_the_object(tmp_path: Path) -> None:
    record = MXRecordIO(str(tmp_path / "a.rec"), "w")
    record.write(b"x")
    del record
    assert read_all(tmp_path / "a.rec") == [b"x"]
    assert os.listdir(tmp_path) == ["a.rec"]
