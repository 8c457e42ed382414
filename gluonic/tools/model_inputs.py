"""Inputs of models from files: images, ``.npz`` and ``.csv``; in batches."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gluonic import image
from gluonic import ndarray as nd
from gluonic.graph.errors import FileFormatError, describe
from gluonic.ndarray import NDArray
from gluonic.support.record import record
from gluonic.tools.array_files import load_arrays
from gluonic.tools.command import CommandError
from gluonic.tools.file_kinds import Held, held_in
from gluonic.tools.models import Model

_IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_SHORTER = 256 / 224
"""The length of an image's shorter side, in sides of the square that is cut out of its middle."""


@record
class Batch:
    """Some samples.

    Attributes
    ----------
    titles : what the samples are called: files, or numbers
    data : the inputs by name
    """

    titles: list[str]
    data: dict[str, NDArray]


@record
class SampleBatches:
    """All samples, in batches that are read when they are needed.

    Attributes
    ----------
    count : how many there are
    batches : the batches
    """

    count: int
    batches: Iterator[Batch]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the files, and how they become inputs."""
    add = parser.add_argument
    add("inputs", nargs="+", help="images, or one file of arrays (.npz, .params, …) or rows (.csv)")
    add("--batch-size", type=_positive, default=32, help="samples of a call, by default 32")
    add = parser.add_argument_group("images").add_argument
    add("--imagenet", action="store_true", help="normalize as the nets of the model zoo expect it")
    add("--mean", type=_numbers, metavar="R,G,B", help="subtract this from pixels between 0 and 1")
    add("--std", type=_numbers, metavar="R,G,B", help="and divide by this")
    add("--raw", action="store_true", help="leave pixels between 0 and 255")


def samples_of(model: Model, options: argparse.Namespace) -> SampleBatches:
    """Find out what the input files hold, and read them.

    Raises
    ------
    CommandError
        if they are of different kinds, or do not suit the model
    """
    files = [Path(name) for name in options.inputs]
    kinds = {held_in(file) for file in files}
    readers: dict[Held, Callable[..., SampleBatches]] = {
        Held.PICTURE: _images,
        Held.ARRAYS: _arrays,
        Held.TENSORS: _arrays,
        Held.PARAMETERS: _arrays,
        Held.TABLE: _rows,
        Held.TEXT: _rows,
    }
    if len(kinds) > 1:
        shown = ", ".join(sorted(kind.value for kind in kinds))
        raise CommandError(f"the inputs are of several kinds: {shown}")
    (kind,) = kinds
    if kind not in readers:
        raise CommandError(
            f"{files[0]} holds {kind.value}", hint="images, .npz or .csv, one kind at a time"
        )
    if kind is not Held.PICTURE and len(files) > 1:
        raise CommandError("several files must be images", hint="one file of arrays or rows")
    return readers[kind](model, files, options)


def _only_input(model: Model, what: str) -> str:
    if len(model.data) != 1:
        raise CommandError(
            f"{what} are one input, and the model has {len(model.data)}: {', '.join(model.data)}",
            hint="a .npz file with an array for each",
        )
    return model.data[0]


# ------------------------------------------------------------------------------------- images


def _images(model: Model, files: Sequence[Path], options: argparse.Namespace) -> SampleBatches:
    name = _only_input(model, "images")
    shape = model.shapes.get(name, ())
    if len(shape) != 4 or shape[1] not in (1, 3):
        raise CommandError(
            f"images have the shape (batch, 1 or 3, height, width), and {name} "
            + (f"has {shape}" if shape else "has an unknown one"),
            hint=f"--shape {name}=1,3,224,224",
        )
    _, channels, height, width = shape
    mean, std = _IMAGENET if options.imagenet else (options.mean, options.std)
    scale = 1 if options.raw else 255

    def pixels(file: Path) -> NDArray:
        read = image.imread(file, 1 if channels == 3 else 0)
        shorter = image.resize_short(read, round(max(height, width) * _SHORTER))
        cut, _ = image.center_crop(shorter, (width, height))
        colours = cut.astype("float32") / scale
        if mean is not None:
            colours = image.color_normalize(colours, _colour(mean), _colour(std))
        turned: NDArray = colours.transpose((2, 0, 1))
        return turned

    def batches() -> Iterator[Batch]:
        for part in _parts(files, options.batch_size):
            data = {name: nd.stack(*(pixels(file) for file in part))}
            yield Batch([str(file) for file in part], data)

    return SampleBatches(len(files), batches())


def _colour(numbers: Sequence[float] | None) -> NDArray | None:
    return None if numbers is None else nd.array(numbers)


def _parts(files: Sequence[Path], length: int) -> Iterator[Sequence[Path]]:
    for start in range(0, len(files), length):
        yield files[start : start + length]


# ------------------------------------------------------------------------------------- arrays and rows


def _arrays(model: Model, files: Sequence[Path], options: argparse.Namespace) -> SampleBatches:
    (file,) = files
    arrays = load_arrays(file)
    if len(arrays) == 1 and len(model.data) == 1:
        arrays = dict(zip(model.data, arrays.values(), strict=True))
    for name in arrays:
        model.check_input(name)
    lengths = {name: array.shape[0] if array.shape else 0 for name, array in arrays.items()}
    if len(set(lengths.values())) != 1:
        raise CommandError(f"{file}: the arrays have different numbers of samples: {lengths}")
    (count,) = set(lengths.values())
    return _in_batches(arrays, count, options.batch_size)


def _rows(model: Model, files: Sequence[Path], options: argparse.Namespace) -> SampleBatches:
    (file,) = files
    name = _only_input(model, "rows")
    try:
        rows = np.loadtxt(file, dtype=np.float32, delimiter=",", ndmin=2)
    except ValueError as error:
        raise FileFormatError(
            describe(
                f"not rows of numbers: {error}",
                where=str(file),
                hint="numbers with commas between them, a sample a row, and no headings",
            )
        ) from error
    shape = model.shapes.get(name, (0, rows.shape[1]))[1:]
    if rows.size != len(rows) * int(np.prod(shape)):
        raise CommandError(f"{file} has {rows.shape[1]} numbers a row, and {name} needs {shape}")
    return _in_batches({name: nd.array(rows.reshape(-1, *shape))}, len(rows), options.batch_size)


def _in_batches(arrays: dict[str, NDArray], count: int, length: int) -> SampleBatches:
    def batches() -> Iterator[Batch]:
        for start in range(0, count, length):
            end = min(start + length, count)
            titles = [str(number) for number in range(start, end)]
            yield Batch(titles, {name: array[start:end] for name, array in arrays.items()})

    return SampleBatches(count, batches())


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 0.5,0.5,0.5") from None
