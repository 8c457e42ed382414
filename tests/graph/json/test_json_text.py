"""JSON text is read in pieces, with the same result as when it is read as a whole."""

import io
import itertools
import json
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import sym
from gluonic.graph.errors import FileFormatError
from gluonic.graph.json.document import Document
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.text import JsonText
from gluonic.graph.json.writer import write_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


class Trickling(io.RawIOBase):
    """A file that gives few bytes at a time."""

    def __init__(self, contents: bytes, size: int) -> None:
        self.contents, self.size = io.BytesIO(contents), size

    def read(self, size: int = -1, /) -> bytes:
        return self.contents.read(self.size)


class Damage(Exception):
    """The value that the text describes."""


def fail(what: str, where: str = "", hint: str = "") -> NoReturn:
    raise Damage(what)


def text_of(contents: str, size: int, encoding: str = "utf-8") -> JsonText:
    return JsonText(Trickling(contents.encode(encoding), size), 1 << 20, fail)  # type: ignore[arg-type]


@settings(deadline=None)
@given(JSON, st.integers(4, 20), st.sampled_from(["utf-8", "utf-16", "utf-32-le"]), st.booleans())
def test_values_are_those_of_the_whole_text(
    value: Any, size: int, encoding: str, is_indented: bool
) -> None:
    contents = json.dumps(value, indent=2 if is_indented else None, ensure_ascii=False)
    assert whole(text_of(contents + "\n", size, encoding)) == value


def whole(text: JsonText) -> Any:
    value = text.value()
    text.end()
    return value


def members(text: JsonText) -> Iterator[tuple[str, Any]]:
    for name in text.members():
        yield name, list(text.elements()) if text.peek() == "[" else text.value()


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4), st.integers(1, 20))
def test_arrays_and_objects_are_read_one_by_one(value: dict[str, Any], size: int) -> None:
    text = text_of(json.dumps(value), size)
    assert text.peek() == "{"
    assert dict(members(text)) == value
    text.end()


@settings(deadline=None)
@given(JSON, st.data(), st.integers(1, 20))
def test_damage_is_found_where_the_whole_text_has_it(
    value: Any, data: st.DataObject, size: int
) -> None:
    contents = json.dumps(value, indent=1)
    at = data.draw(st.integers(0, len(contents)))
    damaged = contents[:at] + data.draw(st.sampled_from(["", "@", "]", '"', "1 2"]))
    try:
        json.loads(damaged)
    except json.JSONDecodeError as error:
        position = f"line {error.lineno} column {error.colno} (char {error.pos})"
        text = text_of(damaged, size)
        with pytest.raises(Damage) as found:
            whole(text)
        assert str(found.value).endswith(position)


def test_the_position_of_an_invalid_byte_is_reported() -> None:
    contents = b'{"nodes": ["\xc3\xa4", "\xff"]}'
    for size in range(1, len(contents)):
        text = JsonText(Trickling(contents, size), 1 << 20, fail)  # type: ignore[arg-type]
        with pytest.raises(Damage, match="byte 18 is no UTF-8"):
            text.value()


def test_a_file_that_is_too_long_is_not_read_to_its_end() -> None:
    stream = Trickling(b" " * 100, 10)
    with pytest.raises(Damage, match="larger than 25 bytes"):
        JsonText(stream, 25, fail).value()  # type: ignore[arg-type]
    assert stream.contents.tell() == 30


# ------------------------------------------------------------------------- graphs


def net() -> Any:
    x = sym.FullyConnected(sym.var("data"), num_hidden=4, name="fc")
    return sym.SoftmaxOutput(sym.BatchNorm(x, name="bn"), name="softmax")


def test_nodes_are_available_before_the_whole_text_has_been_read() -> None:
    contents = net().tojson().encode()
    stream = Trickling(contents, 16)
    document = Document(JsonText(stream, 1 << 20, fail), fail)  # type: ignore[arg-type]
    first = next(document.records())
    assert first["name"] == "data"
    assert stream.contents.tell() < len(contents) / 4


@pytest.mark.parametrize("op", ["FullyConnected", "FancyLayer"])
def test_fields_may_come_in_any_order(op: str) -> None:
    loaded = json.loads(net().tojson().replace("FullyConnected", op))
    expected = write_json(read_json(json.dumps(loaded)))
    for names in itertools.permutations(loaded):
        text = json.dumps({name: loaded[name] for name in names})
        assert write_json(read_json(text)) == expected


def test_a_second_field_of_nodes_is_refused() -> None:
    text = net().tojson()
    with pytest.raises(FileFormatError, match="two fields 'nodes'"):
        sym.load_json(text.replace("{", '{"nodes": [],', 1))


def test_nodes_that_share_attributes_change_them_alone() -> None:
    x = sym.relu(sym.relu(sym.var("data"), name="a"), name="b")
    x._set_attr(__mark__="one")
    first = x.get_internals()["a_output"]
    first._set_attr(__mark__="one")
    loaded = sym.load_json(x.tojson())
    loaded._set_attr(__mark__="two")
    assert loaded.attr_dict() == {"a": {"__mark__": "one"}, "b": {"__mark__": "two"}}
