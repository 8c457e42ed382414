"""The node tests of the package onnx: what passes, and why the others do not.

python -m tests.onnx.conformance               # writes docs/onnx_nodes.md
python -m tests.onnx.conformance --only Resize # prints the cases whose names contain that
"""

import argparse
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gluonic.graph import Graph, Run
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import interpret
from gluonic.graph.random_source import RandomSource
from gluonic.onnx.importing import read_model
from gluonic.onnx.reading import OnnxImportError

PAGE = Path(__file__).parent.parent.parent / "docs" / "onnx_nodes.md"
PASSES, DIFFERS = "passes", "the numbers differ"
TOLERANCES = {"float16": (4e-3, 1e-3), "bfloat16": (4e-2, 1e-2)}
"""Relative and absolute tolerances beyond the cases' own: they were computed with other roundings."""
KNOWN_TO_DIFFER = {
    "bitshift": "shifts by negative amounts, which C leaves open",
    "mod_float": "remainders of infinities and by zero, which MXNet defines otherwise",
}


def cases() -> list[Any]:
    """All node tests, made by onnx itself."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(collect_testcases(None))


def as_array(value: Any) -> Any:
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, (np.generic, float, int)) else value


def outputs_of(model: Any, feed: dict[str, Any], constant: Iterable[str]) -> list[Any]:
    """The outputs of a model, some of whose inputs are constants when it is read."""
    found = read_model(model, {name: feed[name] for name in constant})
    graph = Graph(found.entries)
    given = {
        node: np.array(found.parameters.get(node.name, feed.get(node.name)))
        for node in graph.variables
    }
    return interpret(graph, given, Run(False, RandomSource()))


def run(model: Any, feed: dict[str, Any]) -> list[Any]:
    """The outputs; shapes and axes that are inputs become constants, since graphs have them as attributes."""
    arrays = {
        name: x for name, x in feed.items() if isinstance(x, np.ndarray) and x.dtype.kind in "fiub"
    }
    small = [name for name, x in arrays.items() if x.dtype.kind in "iub" or x.size <= 1]
    for constant in ([], small):
        try:
            return outputs_of(model, feed, constant)
        except OnnxImportError:
            continue
    return outputs_of(model, feed, arrays)


def outcome(case: Any) -> str:
    """`PASSES`, or why a case does not."""
    names = [value.name for value in case.model.graph.input]
    for inputs, outputs in case.data_sets:
        feed = dict(zip(names, map(as_array, inputs), strict=False))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run(case.model, feed)
        except MXNetError as error:
            return reason(error)
        if not all(map(agrees, map(as_array, outputs), found, [case] * len(found))):
            return next(
                (why for part, why in KNOWN_TO_DIFFER.items() if part in case.name), DIFFERS
            )
    return PASSES


def reason(error: MXNetError) -> str:
    """The first reason that an error states."""
    lines = [line.strip() for line in str(error).splitlines()]
    line = next((line for line in lines if "×" in line), lines[0])
    line = line.partition("; for example")[0]
    return re.sub(r" ×\d+| \(File .*\)$", "", line)


def agrees(expected: Any, found: Any, case: Any) -> bool:
    if expected is None:
        return True
    if isinstance(expected, list) or expected.shape != found.shape or expected.dtype != found.dtype:
        return False
    relative, absolute = TOLERANCES.get(expected.dtype.name, (1e-3, 1e-7))
    a, b = (x.astype(np.float64) for x in (expected, found))
    return np.allclose(
        a, b, rtol=max(relative, case.rtol), atol=max(absolute, case.atol), equal_nan=True
    )


def page(outcomes: Sequence[tuple[str, str]], version: str) -> str:
    counts = Counter(why for _, why in outcomes)
    passed = counts.pop(PASSES)
    examples = {why: name for name, why in reversed(outcomes)}
    rows = [
        f"| {why.replace('|', '/')} | {count} | `{examples[why]}` |"
        for why, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join(
        [
            "# ONNX's node tests",
            "",
            f"{passed:,} of the {len(outcomes):,} node tests of onnx {version} pass: gluonic reads the model,"
            " runs it, and gets the",
            "expected numbers. These are the reasons of the others.",
            "",
            "Written by `python -m tests.onnx.conformance`.",
            "",
            "| reason | cases | for example |",
            "|---|--:|---|",
            *rows,
            "",
        ]
    )


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    only = parser.parse_args().only
    outcomes = [(case.name, outcome(case)) for case in cases() if only in case.name]
    if only:
        print("\n".join(f"{name}: {why}" for name, why in outcomes))
    else:
        PAGE.write_text(page(outcomes, onnx.__version__))


if __name__ == "__main__":
    main()
