"""Boxes and arrows at their places."""

from typing import NamedTuple


class Point(NamedTuple):
    """A point that an arrow goes to.

    Attributes
    ----------
    x, y : its place
    bends : whether the way to it bends
    around : how far below (or above, if negative) the way to it swings out
    """

    x: float
    y: float
    bends: bool = False
    around: float = 0.0


class PlacedArrow(NamedTuple):
    """An arrow at its place.

    Attributes
    ----------
    flows : what flows: ``node:output``
    start, stop : the boxes that it joins; None for a port of the block that it stands in
    start_port : the port of the open block that it starts at
    points : its way
    is_entering : it ends at a port, and has no tip there
    is_far : it is drawn at its end only
    """

    flows: list[str]
    start: int | None
    stop: int | None
    start_port: str | None
    points: list[Point]
    is_entering: bool
    is_far: bool


class PlacedBox(NamedTuple):
    """A box at its place: its upper left corner, and in how many others it lies.

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
    width, height : of it
    boxes, arrows : what stands in it
    ins, outs : where what flows enters and leaves
    """

    width: float
    height: float
    boxes: list[PlacedBox]
    arrows: list[PlacedArrow]
    ins: dict[str, float]
    outs: dict[str, float]
