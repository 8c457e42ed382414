"""Files of something else, or damaged: the error is gluonic's, and names the file."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.contrib.text.embedding import CustomEmbedding
from gluonic.graph.archives import reading_archive, unpack_from_zip
from gluonic.graph.errors import FileFormatError
from gluonic.io.image_batches import read_labels
from gluonic.tools.image_lists import read_list

_NO_TEXT = b"1\t2\t\xff\xfe\xe4\n"
READERS: dict[str, Callable[[str], Any]] = {
    "word vectors": CustomEmbedding,
    "labels of records": read_labels,
    "lists of im2rec": lambda path: [*read_list(path)],
    "lists of images": lambda path: mx.image.ImageIter(
        1, (3, 4, 4), path_imglist=path, path_root=""
    ),
    "rows": lambda path: mx.io.LibSVMIter(data_libsvm=path, data_shape=(3,), batch_size=1),
}


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_text_is_named(tmp_path: Path, reader: str) -> None:
    file = tmp_path / "given"
    file.write_bytes(_NO_TEXT)
    with pytest.raises(mx.MXNetError, match="given"):
        READERS[reader](str(file))


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", [b"7\t1\ta\0.png\n", b"\0 1 2 3\n", b"1 2 3\n" + bytes(99)])
def test_nul_bytes_are_refused(tmp_path: Path, reader: str, text: bytes) -> None:
    file = tmp_path / "given"
    file.write_bytes(text)
    if reader == "lists of im2rec":  # lines are left out one by one
        assert READERS[reader](str(file)) == []
        return
    with pytest.raises(mx.MXNetError, match=r"given(:|,) line \d"):
        READERS[reader](str(file))


def test_articles_with_nul_bytes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "wiki.train.tokens").write_bytes(b" a b \n" + bytes(9))
    with pytest.raises(FileFormatError, match="NUL"):
        mx.gluon.contrib.data.text.WikiText2(str(tmp_path))


def test_numbers_that_no_record_can_have_are_left_out_of_lists(tmp_path: Path) -> None:
    file = tmp_path / "a.lst"
    file.write_text(f"-1\t0\ta.png\n{2**64}\t0\tb.png\n7\t0\tc.png\n")
    assert [image.number for image in read_list(str(file))] == [7]


@pytest.mark.parametrize("header", [(0, 1e300, 0, 0), (0, 1.0, -1, 0), (0, [1, 2], 0, 2**64)])
def test_headers_that_do_not_fit_are_refused(header: Any) -> None:
    with pytest.raises(mx.MXNetError, match="header"):
        mx.recordio.pack(mx.recordio.IRHeader(*header), b"contents")


def test_labels_that_overflow_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.lst"
    file.write_text(f"1\t{10**30}\ta.png\n")
    with pytest.raises(mx.MXNetError, match="line 1"):
        mx.image.ImageIter(1, (3, 4, 4), path_imglist=str(file), path_root="", dtype="int32")


@pytest.mark.parametrize("begin", [6, 8, 10, 35, 45])
def test_damaged_archives_raise_what_their_readers_expect(begin: int) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("file", np.random.default_rng(0).bytes(99) * 9)
    whole = written.getvalue()
    found = 0
    directory = whole.index(b"PK\1\2")
    for place in (begin, directory + begin):
        for byte in range(256):
            damaged = whole[:place] + bytes([byte]) + whole[place + 1 :]
            try:
                with reading_archive("given"), zipfile.ZipFile(io.BytesIO(damaged)) as archive:
                    archive.read("file")
            except FileFormatError as error:
                found += "given" in str(error)
    assert found


def test_a_place_before_the_beginning_of_an_archive_is_damage(tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("file", "text")
    data = written.getvalue()
    end = data.index(b"PK\5\6")
    place = (int.from_bytes(data[end + 16 : end + 20], "little") + 1000).to_bytes(4, "little")
    (tmp_path / "given").write_bytes(data[: end + 16] + place + data[end + 20 :])
    with pytest.raises(FileFormatError, match="given"):
        unpack_from_zip(tmp_path / "given", "file", str(tmp_path / "out"), "given")


@pytest.mark.parametrize(
    "init", ["[]", "{}", "[", '["xavier"]', '{"a": 1}', "[1, 2]", "[[], {}]", "[" * 10**5]
)
def test_initializers_in_files_that_describe_none_are_refused(init: str) -> None:
    with pytest.raises(mx.MXNetError, match="no initializer is described by"):
        mx.init.create(init)
    net = json.loads(mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=2, name="fc").tojson())
    weight = next(node for node in net["nodes"] if node["name"] == "fc_weight")
    weight["attrs"] = {"__init__": init}
    block = mx.gluon.SymbolBlock(mx.sym.load_json(json.dumps(net)), mx.sym.var("x"))
    with pytest.raises(mx.MXNetError, match="no initializer is described by"):
        _initialized(block)(mx.nd.ones((2, 3)))


def _initialized(block: Any) -> Any:
    block.initialize()
    return block
