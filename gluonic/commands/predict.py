"""``gluonic predict MODEL INPUT…``: a model's outputs for images, arrays or rows."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.files import write_atomically
from gluonic.progress import progress
from gluonic.tools import model_files, model_inputs
from gluonic.tools.array_files import kind_by_ending, save_arrays
from gluonic.tools.command import Answer, CommandError
from gluonic.tools.models import add_model, model_of

_Outputs = dict[str, np.ndarray[Any, Any]]
_MOST_COLUMNS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the model, the inputs, and what becomes of the outputs."""
    add_model(parser)
    model_inputs.add_options(parser)
    model_files.add_options(parser)
    add = parser.add_argument_group("outputs").add_argument
    add("--output", metavar="FILE", help="write them to this .npz, .params, .safetensors or .csv")
    add("--top", type=int, default=5, help="how many classes to show, by default 5")
    add("--labels", metavar="FILE", help="the names of the classes, one a line")
    add("--softmax", action="store_true", help="turn outputs into probabilities")


def run(options: argparse.Namespace) -> Answer:
    """Compute the outputs, and write or show them."""
    target = None if options.output is None else Path(options.output)
    if target is not None and target.suffix.lower() != ".csv":
        kind_by_ending(target)
    labels = None if options.labels is None else Path(options.labels).read_text().splitlines()
    model = model_of(options)
    titles, outputs = _computed(model, options)
    if target is not None:
        _write(target, outputs)
        count = f"{len(titles):,} " + ("sample" if len(titles) == 1 else "samples")
        facts = {"written": str(target), "samples": len(titles)}
        return Answer(facts, [f"{target}: {count}"])
    return _shown(titles, outputs, labels, options.top)


def _computed(model: Any, options: argparse.Namespace) -> tuple[list[str], _Outputs]:
    samples = model_inputs.samples_of(model, options)
    titles: list[str] = []
    parts: dict[str, list[np.ndarray[Any, Any]]] = {name: [] for name in model.outputs}
    with progress(samples.count, "sample") as bar:
        for batch in samples.batches:
            results = model(batch.data)
            for name, result in zip(model.outputs, results, strict=True):
                result = nd.softmax(result) if options.softmax else result
                if result.shape[:1] != (len(batch.titles),):
                    raise CommandError(
                        f"{name} has the shape {result.shape} for {len(batch.titles)} samples: "
                        "its first axis is not the batch"
                    )
                parts[name].append(result.asnumpy())
            titles += batch.titles
            bar.update(len(batch.titles))
    return titles, {name: np.concatenate(values) for name, values in parts.items() if values}


def _write(target: Path, outputs: _Outputs) -> None:
    if target.suffix.lower() != ".csv":
        save_arrays(target, {name: nd.array(x, dtype=x.dtype) for name, x in outputs.items()})
        return
    rows = [x.reshape(len(x), -1) for x in outputs.values()]
    lines = (",".join(map(str, row)) + "\n" for row in np.concatenate(rows, axis=1).tolist())
    write_atomically(target, "".join(lines).encode())


def _shown(
    titles: Sequence[str], outputs: _Outputs, labels: Sequence[str] | None, top: int
) -> Answer:
    classes = [name for name, x in outputs.items() if x.ndim == 2 and x.shape[1] > 1]
    facts: list[dict[str, Any]] = []
    for number, title in enumerate(titles):
        entry: dict[str, Any] = {"sample": title}
        for name, x in outputs.items():
            if name in classes:
                entry[name] = _best(x[number], labels, top)
            else:
                entry[name] = x[number].tolist()
        facts.append(entry)
    return Answer(facts, _lines(facts, classes))


def _best(
    scores: np.ndarray[Any, Any], labels: Sequence[str] | None, top: int
) -> list[dict[str, Any]]:
    """The classes with the highest scores."""
    order = np.argsort(-scores, kind="stable")[: max(top, 1)]
    if labels is not None and len(labels) < len(scores):
        raise CommandError(f"--labels has {len(labels)} names for {len(scores)} classes")
    return [
        {
            "class": int(number),
            **({} if labels is None else {"label": labels[number]}),
            "score": float(scores[number]),
        }
        for number in order
    ]


def _lines(facts: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> Iterator[str]:
    several = len(facts) and len(facts[0]) > 2
    for entry in facts:
        yield entry["sample"]
        for name, value in entry.items():
            if name == "sample":
                continue
            if several:
                yield f"  {name}"
            if name in classes:
                for one in value:
                    title = one.get("label", "")
                    yield f"  {one['score']:>12.6g}  {one['class']:>5}  {title}".rstrip()
            else:
                yield f"  {_short(np.asarray(value))}"


def _short(value: np.ndarray[Any, Any]) -> str:
    """The numbers of an output, or the first of them and its shape."""
    flat = value.reshape(-1)
    shown = "  ".join(f"{number:.6g}" for number in flat[:_MOST_COLUMNS])
    if flat.size <= _MOST_COLUMNS:
        return shown
    return f"{shown}  … {'x'.join(map(str, value.shape))}"
