"""The numbers of outputs that MXNet counts in its files, for the uses of operators in the samples.

``python -m tests.measured.output_counts --mxnet PYTHON`` asks MXNet, an installation of its own, and writes
what it counts, per operator. Uses whose attributes MXNet refuses are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

from gluonic.graph.json.writer import write_json
from gluonic.graph.node import Graph, Node
from gluonic.graph.node_attributes import as_text
from tests.graph.registry_samples import SAMPLES, application_of

FILE = Path(__file__).with_suffix(".json")
_PROGRAM = """
import json, sys
import mxnet as mx
for line in sys.stdin:
    try:
        rows = json.loads(mx.sym.load_json(json.loads(line)).tojson())["node_row_ptr"]
        print(rows[-1] - rows[-2])
    except mx.MXNetError:
        print("null")
"""


def graph_of(name: str, number: int) -> Graph:
    """A graph with one operator, as it is used in a sample."""
    application = application_of(name, SAMPLES[name][number])
    declared = application.op.attributes
    attributes = {
        key: as_text(value, value)
        for key, value in application.settings.items()
        if key not in declared or value != declared[key].default
    }
    inputs = [Node(None, f"x{i}").entry() for i in range(len(application.inputs))]
    return Graph([Node(application, "node", inputs, attributes).entry()])


def read() -> dict[str, list[int | None]]:
    """What was measured: for each operator the counts of its uses."""
    results: dict[str, list[int | None]] = json.loads(FILE.read_text())
    return results


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mxnet", required=True, help="the Python of an environment with MXNet")
    uses = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]
    asked = [json.dumps(write_json(graph_of(*use))) for use in uses]
    command = [parser.parse_args().mxnet, "-c", _PROGRAM]
    answers = subprocess.run(
        command, input="\n".join(asked), capture_output=True, text=True, check=True
    )
    counts: dict[str, list[int | None]] = {}
    for (name, _), answer in zip(uses, answers.stdout.split(), strict=True):
        counts.setdefault(name, []).append(json.loads(answer))
    lines = [f'"{name}": {json.dumps(found)}' for name, found in counts.items() if any(found)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
