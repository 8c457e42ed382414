"""Boxes and arrows with their positions."""

from typing import NamedTuple


class Point(NamedTuple):
    """A point that an arrow goes to.

    Attributes
    ----------
    x, y : its position
    bends : whether the line to it bends
    around : how far below (or above, if negative) the line to it swings out
    """

    x: float
    y: float
    bends: bool = False
    around: float = 0.0


class PlacedArrow(NamedTuple):
    """An arrow with its position.

    Attributes
    ----------
    flows : the flows: ``node:output``
    leaving : on the first arrow from a box, all flows that leave the box there
    start, stop : the boxes that it connects; None for a port of the block that contains it
    start_port : the port of the open block at which it starts
    points : its path
    is_entering : whether it ends at a port, without a tip
    is_far : whether only its end is drawn
    """

    flows: list[str]
    leaving: list[str]
    start: int | None
    stop: int | None
    start_port: str | None
    points: list[Point]
    is_entering: bool
    is_far: bool


class PlacedBox(NamedTuple):
    """A box with its position: its upper left corner, and its nesting depth.

    Attributes
    ----------
    thing : its number
    inner : the layout of an open block
    """

    thing: int
    x: float
    y: float
    width: float
    height: float
    inner: "Laid | None" = None
    depth: int = 0


class Laid(NamedTuple):
    """An open block laid out, from its upper left corner.

    Attributes
    ----------
    width, height : its size
    boxes, arrows : its contents
    ins, outs : the positions of its input and output ports
    """

    width: float
    height: float
    boxes: list[PlacedBox]
    arrows: list[PlacedArrow]
    ins: dict[str, float]
    outs: dict[str, float]
