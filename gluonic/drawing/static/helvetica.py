"""The widths of texts in Helvetica, and in Arial, whose characters have the same widths."""

# Thousandths of the size, for the characters from space to tilde; of the PDF standard's fonts.
_PLAIN = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, *[556] * 10,
    278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556,
    833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333,
    500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_BOLD = (
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, *[556] * 10,
    333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611,
    833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389,
    556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
)  # fmt: skip
_OTHERS = {"×": 584, "−": 584, "·": 278, "…": 1000, "→": 917}
_USUAL, _FULL = 600, 1000


def text_width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text; characters that the font lacks count with a typical width.

    >>> text_width("Conv 3×3", 10)
    43.08
    """
    widths = _BOLD if bold else _PLAIN
    return size / 1000 * sum(_width(c, widths) for c in text)


def _width(c: str, widths: tuple[int, ...]) -> int:
    if " " <= c <= "~":
        return widths[ord(c) - 32]
    return _OTHERS.get(c) or (_FULL if ord(c) > 0x2E7F else _USUAL)
