"""Elements that move axis by axis: slices, borders, repetitions, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal

from gluonic.codegen.maths.values import BOOL, INT32, Value
from gluonic.codegen.threads.sorting import sums_by_target
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import ThreadPlan
from gluonic.graph import Entry
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

Beyond = Literal["nothing", "edge", "reflect", "symmetric"]
"""What is read beyond the ends of an axis: ``nothing``, the last element, or the mirrored array."""


@record
class AxisMap:
    """The index, along an axis, of the element that another one is a copy of.

    It is ``(index - begin) / step``, or ``index * times + begin`` if the step is 1. Where the quotient is
    not whole there is nothing.
    """

    begin: int = 0
    times: int = 1
    step: int = 1


IDENTITY = AxisMap()


def _mapped(k: ThreadCode, rank: int, beyond: Beyond) -> tuple[Value, Value]:
    """Whether there is a source of the thread's element, and its flat index."""
    indices = k.digits(k.thread, k.numbers_of("target", rank))
    inside, place = k.m.constant(True, BOOL), k.constant(0)
    for axis, index in enumerate(indices):
        extent = k[f"source{axis}"]
        at = index * k[f"times{axis}"] + k[f"begin{axis}"]
        if beyond == "nothing":
            step = k[f"step{axis}"]
            size = k.m.maximum(at, 0)
            quotient, rest = k.divided(size, step)
            inside = inside & (at >= 0) & (rest == 0) & (quotient < extent)
            at = quotient
        else:
            at = _within(k, at, extent, beyond)
        place = place * extent + at
    return inside, place


def _within(k: ThreadCode, at: Value, extent: Value, beyond: Beyond) -> Value:
    """An index beyond an axis as one of the axis."""
    if beyond == "edge":
        return k.clipped(at, extent)
    shared = 1 if beyond == "reflect" else 0  # elements that the mirrored array does not repeat
    period = k.m.maximum(extent * 2 - 2 * shared, 1)
    at = k.wrapped(at, period)
    mirrored = k.m.minimum(period - 1 + shared - at, extent - 1)
    return k.m.where(at < extent, at, mirrored)


def _move(k: ThreadCode, rank: int, beyond: Beyond, otherwise: float | None) -> None:
    """Copy an element of the first operand to the last, or a number, or the second operand's element."""
    inside, place = _mapped(k, rank, beyond)
    last = len(k.dtypes) - 1
    if beyond != "nothing":
        k.write(last, k.thread, k.read(0, place))
    elif otherwise is not None:
        k.write(last, k.thread, k.read_if(inside, 0, place, otherwise))
    else:
        value = k.variable(k.read(1, k.thread))
        with k.only_if(inside):
            value.set(k.read(0, place))
        k.write(last, k.thread, value.now)


def _write_place(k: ThreadCode, rank: int, beyond: Beyond) -> None:
    k.write(0, k.thread, _mapped(k, rank, beyond)[1])


def _numbers(source: Shape, target: Shape, maps: Sequence[AxisMap]) -> dict[str, list[int]]:
    return {
        "source": [*source],
        "target": [*target],
        "begin": [each.begin for each in maps],
        "times": [each.times for each in maps],
        "step": [each.step for each in maps],
    }


def moved(
    plan: ThreadPlan,
    source: Entry,
    maps: Sequence[AxisMap],
    *,
    beyond: Beyond = "nothing",
    otherwise: float | Entry = 0.0,
) -> bool:
    """Add a kernel that copies elements to the output.

    Parameters
    ----------
    source : what they are copied from
    maps : for each axis
    beyond : what is read beyond the ends of axes
    otherwise : what is written where nothing is read: a number, or the elements of another array
    """
    shape, target = plan.shape(source), plan.shape(plan.output)
    if not target:
        shape, target, maps = (1,), (1,), (IDENTITY,)
    others = (otherwise,) if isinstance(otherwise, Entry) else ()
    number = None if isinstance(otherwise, Entry) else otherwise
    operands = (source, *others, plan.output)
    statics = len(target), beyond, number
    plan.kernel(_move, operands, prod(target), *statics, **_numbers(shape, target, maps))
    return True


# -- slices -------------------------------------------------------------------------------------


def _forth_and_back(shape: Shape, slices: Sequence[slice]) -> tuple[list[AxisMap], list[AxisMap]]:
    """The maps that read slices of a shape, and those that put them back."""
    forth, back = [IDENTITY] * len(shape), [IDENTITY] * len(shape)
    for axis, (each, extent) in enumerate(zip(slices, shape, strict=False)):
        start, _, step = each.indices(extent)
        forth[axis] = AxisMap(start, times=step)
        sign = 1 if step > 0 else -1
        back[axis] = AxisMap(-start * sign, times=sign, step=abs(step))
    return forth, back


def _slices(plan: ThreadPlan) -> list[slice]:
    settings = plan.settings
    steps = settings["step"] if any(each is not None for each in settings["step"]) else ()
    steps = steps or (None,) * len(settings["begin"])
    return [slice(*each) for each in zip(settings["begin"], settings["end"], steps, strict=True)]


def put_slice(plan: ThreadPlan) -> bool:
    """The gradient of a slice."""
    maps = _forth_and_back(plan.shape(plan.output), _slices(plan))[1]
    return moved(plan, plan.inputs[0], maps)


def put_slice_along(plan: ThreadPlan) -> bool:
    """The gradient of a slice along an axis."""
    shape, settings = plan.shape(plan.output), plan.settings
    slices = [slice(None)] * (settings["axis"] % len(shape))
    slices.append(slice(settings["begin"], settings["end"]))
    return moved(plan, plan.inputs[0], _forth_and_back(shape, slices)[1])


def put_corner(plan: ThreadPlan) -> bool:
    """The gradient of the first elements along axes."""
    return moved(plan, plan.inputs[0], [IDENTITY] * len(plan.shape(plan.output)))


def assign_slice(plan: ThreadPlan) -> bool:
    """A copy in which a slice is another array, or a number."""
    shape = plan.shape(plan.output)
    maps = _forth_and_back(shape, _slices(plan))[1]
    if "scalar" not in plan.settings:
        lhs, rhs = plan.inputs
        return moved(plan, rhs, maps, otherwise=lhs)
    slices = zip(_slices(plan), shape, strict=False)
    counts = [len(range(*each.indices(extent))) for each, extent in slices]
    numbers = _numbers((*counts, *shape[len(counts) :]), shape, maps)
    operands = (plan.inputs[0], plan.output)
    number = plan.settings["scalar"]
    plan.kernel(_assign_number, operands, plan.size(plan.output), len(shape), number, **numbers)
    return True


def _assign_number(k: ThreadCode, rank: int, number: float) -> None:
    inside, _ = _mapped(k, rank, "nothing")
    value = k.read(0, k.thread)
    kind = value.dtype
    k.write(1, k.thread, k.m.where(inside, k.m.constant(kind.type(number), kind), value))


def _window(plan: ThreadPlan, image: Shape, window: Shape) -> list[slice]:
    settings = plan.settings
    corner = settings["offset"]
    if settings["center_crop"]:
        corner = [(a - b) // 2 for a, b in zip(image[2:], window[2:], strict=True)]
    return [slice(None), slice(None), *(slice(first, None) for first in corner)]


def crop(plan: ThreadPlan) -> bool:
    """A window of images."""
    image, window = plan.shape(plan.inputs[0]), plan.shape(plan.output)
    slices = _window(plan, image, window)
    return moved(plan, plan.inputs[0], _forth_and_back(image, slices)[0])


def put_window(plan: ThreadPlan) -> bool:
    """The gradient of a window of images."""
    image, window = plan.shape(plan.output), plan.shape(plan.inputs[0])
    slices = _window(plan, image, window)
    return moved(plan, plan.inputs[0], _forth_and_back(image, slices)[1])


# -- borders ------------------------------------------------------------------------------------

_BEYOND: dict[str, Beyond] = {
    "constant": "nothing",
    "edge": "edge",
    "reflect": "reflect",
    "symmetric": "symmetric",
}


def _border(plan: ThreadPlan) -> tuple[Beyond, list[int]] | None:
    """What a border has, and its widths before each axis; None if a GPU has no such border."""
    settings = plan.settings
    beyond, widths = _BEYOND.get(settings["mode"]), settings["pad_width"]
    if beyond is None:
        return None
    if widths and isinstance(widths[0], int):
        return beyond, [*widths[::2]]
    return beyond, [before for before, _ in widths]


def pad(plan: ThreadPlan) -> bool:
    """An array with a border."""
    border = _border(plan)
    if border is None or (border[0] != "nothing" and not plan.size(plan.inputs[0])):
        return False
    beyond, before = border
    number = plan.settings["constant_value"]
    maps = [AxisMap(-width) for width in before]
    return moved(plan, plan.inputs[0], maps, beyond=beyond, otherwise=number)


def pad_back(plan: ThreadPlan) -> bool:
    """The gradient of an array with a border."""
    border, grad = _border(plan), plan.inputs[0]
    if border is None or not plan.size(plan.output):
        return False
    beyond, before = border
    if beyond == "nothing":
        return moved(plan, grad, [AxisMap(width) for width in before])
    maps = [AxisMap(-width) for width in before]
    numbers = _numbers(plan.shape(plan.output), plan.shape(grad), maps)
    places = plan.scratch(plan.size(grad), INT32)
    plan.kernel(_write_place, (places,), places.count, len(before), beyond, **numbers)
    sums_by_target(plan, grad, places, plan.output, 1)
    return True
