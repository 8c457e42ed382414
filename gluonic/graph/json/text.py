"""JSON text that is parsed while it is read, so that a long array is never entirely in memory."""

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO, NoReturn

_PIECE = 1 << 20  # bytes
_NUMBERS = {int, float}
_UNREAD = 2  # characters after a number that may continue it: ``1e+`` is the beginning of one
_BLANK = " \t\n\r"
_space = re.compile(f"[{_BLANK}]*").match
_comma = re.compile(f"[{_BLANK}]*,[{_BLANK}]*").match


class JsonText:
    """JSON text, and the current position in it.

    Parameters
    ----------
    source : the text, its bytes, or a file of them
    most : the maximum number of bytes, or of characters of a text
    fail : raises an error that says what is wrong, with a hint
    """

    def __init__(
        self, source: str | bytes | BinaryIO, most: int, fail: Callable[..., NoReturn]
    ) -> None:
        self._most, self._fail = most, fail
        self._pieces = self._limited(source) if isinstance(source, str) else self._decoded(source)
        decoder: Any = json.JSONDecoder(parse_constant=self._refuse_constant)
        self._scan = decoder.scan_once
        self._text, self._at = "", 0
        self._passed, self._line, self._line_begin = 0, 1, 0

    # ------------------------------------------------------------------------ values

    def peek(self) -> str:
        """Return the next character that is not blank; an empty string at the end."""
        while True:
            self._at = _space(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._extend():
                return ""

    def value(self) -> Any:
        """Read a value."""
        if self._at >= len(self._text) or self._text[self._at] in _BLANK:
            self.peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except StopIteration as stop:
                what, position = "a value is expected", stop.value
            except json.JSONDecodeError as error:
                what, position = error.msg, error.pos
            except RecursionError:
                self._fail("is nested too deeply")
            except ValueError as error:
                what, position = str(error)[:200], self._at
            else:
                size = end - self._at
                is_whole = type(value) not in _NUMBERS or end + _UNREAD < len(self._text)
                if is_whole or not self._extend():
                    self._at += size
                    return value
                continue
            position -= self._at
            if not self._extend():
                self._damaged(what, self._at + position)

    def elements(self) -> Iterator[Any]:
        """Read an array element by element; the next character is its opening bracket."""
        self._at += 1
        if self.peek() == "]":
            self._at += 1
            return
        while True:
            yield self.value()
            comma = _comma(self._text, self._at)
            if comma is not None:
                self._at = comma.end()
            elif not self._goes_on("]"):
                return

    def members(self) -> Iterator[str]:
        """Read an object: yield the name of each member; the caller then reads its value."""
        self._at += 1
        if self.peek() == "}":
            self._at += 1
            return
        yield self._member_name()
        while self._goes_on("}"):
            yield self._member_name()

    def end(self) -> None:
        """Refuse anything that follows."""
        if self.peek():
            self._damaged("there is more after its end", self._at)

    def _member_name(self) -> str:
        if self.peek() != '"':
            self._damaged("a name in double quotes is expected", self._at)
        name: str = self.value()
        if self.peek() != ":":
            self._damaged("a colon is expected", self._at)
        self._at += 1
        return name

    def _goes_on(self, closing: str) -> bool:
        found = self.peek()
        if found != "," and found != closing:
            self._damaged(f"a comma or {closing!r} is expected", self._at)
        self._at += 1
        return found == ","

    # ------------------------------------------------------------------------ damage

    def _refuse_constant(self, name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    def _damaged(self, what: str, position: int) -> NoReturn:
        self._let_go(position)
        column = self._passed - self._line_begin + 1
        self._fail(
            f"is not JSON: {what}: line {self._line} column {column} (char {self._passed})",
            hint="is this a symbol file, and whole?",
        )

    # ------------------------------------------------------------------------ pieces

    def _extend(self) -> bool:
        """Drop the text read so far, and read at least as much as remains; return whether there was more."""
        self._let_go(self._at)
        found, count = [self._text], 0
        for piece in self._pieces:
            found.append(piece)
            count += len(piece)
            if count > len(self._text):
                break
        self._text = "".join(found)
        return count > 0

    def _let_go(self, end: int) -> None:
        """Drop the text up to a position, and track its line and column in the file."""
        newlines = self._text.count("\n", 0, end)
        if newlines:
            self._line += newlines
            self._line_begin = self._passed + self._text.rindex("\n", 0, end) + 1
        self._passed += end
        self._text, self._at = self._text[end:], 0

    def _limited(self, text: str) -> Iterator[str]:
        self._check_size(len(text))
        yield text

    def _decoded(self, source: bytes | BinaryIO) -> Iterator[str]:
        """Decode bytes piece by piece."""
        decoder, passed = None, 0
        for piece in _pieces_of(source):
            if decoder is None:
                kind = json.detect_encoding(piece)
                decoder = codecs.getincrementaldecoder(kind)("surrogatepass")
            begin = passed - len(decoder.getstate()[0])
            passed += len(piece)
            self._check_size(passed)
            try:
                yield decoder.decode(piece, final=not piece)
            except UnicodeDecodeError as error:
                self._fail(f"is not text: byte {begin + error.start} is no UTF-8")

    def _check_size(self, size: int) -> None:
        if size > self._most:
            self._fail(f"is larger than {self._most:,} bytes")


def _pieces_of(source: bytes | BinaryIO) -> Iterable[bytes]:
    """The bytes in pieces; the last one is empty."""
    if isinstance(source, bytes):
        yield from (source[i : i + _PIECE] for i in range(0, len(source), _PIECE))
    else:
        yield from iter(partial(source.read, _PIECE), b"")
    yield b""
