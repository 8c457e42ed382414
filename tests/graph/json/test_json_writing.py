import json
import os
import stat
from pathlib import Path

import pytest

from gluonic import symbol as sym
from gluonic.graph.files import read_capped, write_atomically
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.writer import write_json
from gluonic.graph.shape_semantics import np_shape
from gluonic.symbol import NameManager, Symbol
from tests.graph.registry_samples import over_operators
from tests.measured import output_counts

# As MXNet 1.9.1 writes it, blanks and line ends included.
EXPECTED = """{
  "nodes": [
    {
      "op": "null", 
      "name": "x", 
      "attrs": {
        "__shape__": "(2, 0)", 
        "mood": "calm"
      }, 
      "inputs": []
    }, 
    {
      "op": "null", 
      "name": "fc_weight", 
      "attrs": {"num_hidden": "3"}, 
      "inputs": []
    }, 
    {
      "op": "null", 
      "name": "fc_bias", 
      "attrs": {"num_hidden": "3"}, 
      "inputs": []
    }, 
    {
      "op": "FullyConnected", 
      "name": "fc", 
      "attrs": {"num_hidden": "3"}, 
      "inputs": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    }
  ], 
  "arg_nodes": [0, 1, 2], 
  "node_row_ptr": [0, 1, 2, 3, 4], 
  "heads": [[3, 0, 0]], 
  "attrs": {"mxnet_version": ["int", 10901]}
}"""  # noqa: W291


def dense() -> Symbol:
    x = sym.var("x", shape=(2, 0), attr={"mood": "calm"})
    net: Symbol = sym.FullyConnected(x, num_hidden=3, name="fc")
    return net


def test_the_text_is_mxnets_byte_for_byte() -> None:
    assert dense().tojson() == EXPECTED


def test_long_arrays_take_a_line_for_each_member() -> None:
    with NameManager():
        text = sym.Concat(*[sym.var(f"v{i}") for i in range(12)]).tojson()
    assert '"arg_nodes": [\n    0, \n    1, ' in text
    assert '"inputs": [\n        [0, 0, 0], \n        [1, 0, 0], ' in text


def test_inputs_count_the_updates_of_states() -> None:
    x = sym.var("x")
    first = sym.BatchNorm(x, name="a")
    mean = first.get_internals()["a_moving_mean"]
    nodes = json.loads(sym.BatchNorm(first, moving_mean=mean, name="b").tojson())["nodes"]
    versions = {n["name"]: [entry[2] for entry in n["inputs"]] for n in nodes if n["inputs"]}
    assert versions == {"a": [0, 0, 0, 1, 1], "b": [0, 0, 0, 2, 1]}


def test_np_shape_is_noted() -> None:
    with np_shape():
        assert '"is_np_shape": ["int", 1]' in dense().tojson()
    assert "is_np_shape" not in dense().tojson()


def test_strings_are_escaped() -> None:
    name = 'a"b\\c\n\t\x01é🙂'
    assert json.loads(sym.var(name).tojson())["nodes"][0]["name"] == name
    assert sym.load_json(sym.var(name).tojson()).name == name


def test_saving_replaces_the_file_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "net-symbol.json"
    dense().save(str(path))
    path.chmod(0o640)
    sym.var("other").save(str(path))
    assert sym.load(str(path)).list_arguments() == ["other"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["net-symbol.json"]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def pieces() -> object:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, pieces())  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_and_a_missing_folder_are_errors_naming_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere/file"):
        write_atomically(tmp_path / "nowhere/file", b"x")
    with pytest.raises(OSError, match="No space left"):
        sym.var("x").save("/dev/full")


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_atomically(tmp_path / "link", [b"a", b"b"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"ab"


def test_large_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_capped(tmp_path / "file", 5) == b"12345"
    with pytest.raises(ValueError, match="larger than 4 bytes"):
        read_capped(tmp_path / "file", 4)


def test_mixed_precision_casts_are_left_out() -> None:
    text = dense().tojson()
    document = json.loads(text)
    document["nodes"].insert(
        1, {"op": "amp_cast", "name": "c", "attrs": {"dtype": "float16"}, "inputs": [[0, 0, 0]]}
    )
    for node in document["nodes"][2:]:
        node["inputs"] = [[1 if i in (0, 1) else i + 1, 0, 0] for i, *_ in node["inputs"]]
    document["nodes"][4]["inputs"] = [[1, 0, 0], [2, 0, 0], [3, 0, 0]]
    document.update(arg_nodes=[0, 2, 3], node_row_ptr=[0, 1, 2, 3, 4, 5], heads=[[4, 0, 0]])
    net = sym.load_json(json.dumps(document))
    assert net.tojson() == text
    assert '"amp_cast"' in net.tojson(remove_amp_cast=False)


@over_operators(output_counts.read())
def test_outputs_are_counted_as_in_mxnet(name: str) -> None:
    for number, expected in enumerate(output_counts.read()[name]):
        if expected is not None:
            text = write_json(output_counts.graph_of(name, number))
            *_, before, after = json.loads(text)["node_row_ptr"]
            assert after - before == expected, number
            assert write_json(read_json(text)) == text
