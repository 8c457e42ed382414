"""Load damaged files for as long as one likes: each must load or raise an error of gluonic, soon.

``python -m tests.face.damaged_files --minutes 5 --seed 1`` mutates the bytes of parameter files, and the
text and the structure of graphs. A crash of the process, a hang (stopped by an alarm) and a huge allocation
(stopped by a limit on memory) count as failures like any other exception.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import nd, sym
from gluonic.graph.errors import MXNetError

_SECONDS, _MEMORY = 10, 3 << 30
_NUMBERS = (0, 1, -1, 2, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**62, -(2**63), 10**30, 0.5, 1e308)
_VALUES: tuple[Any, ...] = (
    *_NUMBERS,
    None,
    True,
    "",
    "x",
    "(2, -3)",
    "[" * 50,
    [],
    [[]],
    {},
    [[9, 9, 9]],
    "\ud800",
)


def graph() -> str:
    """A graph with most of what a file can hold."""
    x = sym.BatchNorm(sym.var("data", shape=(2, 3), lr_mult=2), name="bn")
    x = sym.FullyConnected(sym.LeakyReLU(x, act_type="prelu"), num_hidden=4, name="fc")
    parts = sym.split(x, num_outputs=2)
    steps, _ = sym.contrib.foreach(
        lambda row, total: (row * total, total + row), sym.Concat(*parts, dim=1), sym.var("begin")
    )
    text: str = sym.SoftmaxOutput(steps, name="softmax").tojson()
    return text


def parameters(folder: Path) -> bytes:
    """A parameter file with several dtypes and shapes."""
    arrays = {
        f"arg:{dtype}": nd.array(np.arange(6).reshape(2, 3), dtype=dtype)
        for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8")
    }
    arrays["aux:empty"] = nd.zeros((0, 3))
    file = folder / "whole.params"
    nd.save(str(file), arrays)
    return file.read_bytes()


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Some bytes changed, cut out, doubled or put in."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5, 30))):
        at = draw.randrange(len(found) + 1)
        way = draw.randrange(6)
        if way == 0 and at < len(found):
            found[at] ^= 1 << draw.randrange(8)
        elif way == 1:
            del found[at:]
        elif way == 2:
            del found[at : at + draw.randrange(1, 20)]
        elif way == 3:
            found[at:at] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 9)))
        elif way == 4:
            size = draw.choice((4, 8))
            number = draw.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, draw.randrange(2**32)))
            found[at : at + size] = (
                number << draw.choice((0, 0, 32)) & (1 << 8 * size) - 1
            ).to_bytes(size, "little")
        else:
            found[at:at] = found[at : at + draw.randrange(1, 60)]
    return bytes(found)


def _places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in keys:
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            _places(value[key], found)
    return found


def restructured(text: str, draw: random.Random) -> str:
    """Some values of a document replaced, left out, or exchanged."""
    document = json.loads(text)
    for _ in range(draw.choice((1, 1, 2, 4))):
        places = _places(document, [])
        if not places:
            break
        holder, key = draw.choice(places)
        way = draw.randrange(5)
        if way == 0:
            del holder[key]
        elif way == 1:
            other, name = draw.choice(places)
            try:
                holder[key] = json.loads(json.dumps(other[name]))
            except (KeyError, IndexError):  # it has gone
                continue
        elif way == 2 and isinstance(holder[key], int):
            holder[key] += draw.choice((-2, -1, 1, 2, 1000))
        elif way == 3 and isinstance(holder[key], list):
            holder[key] = holder[key] * draw.choice((2, 2, 50))
        else:
            holder[key] = draw.choice(_VALUES)
    found = json.dumps(document)
    if draw.randrange(40) == 0:
        found = found.replace("[", "[" * 5000, 1)
    return found


def use_graph(text: str) -> None:
    """Read a graph and do what a program does with one."""
    net = sym.load_json(text)
    net.list_arguments()
    net.list_auxiliary_states()
    net.attr_dict()
    net.tojson()
    shapes = dict.fromkeys(net.list_inputs()[:1], (2, 3))
    net.infer_shape_partial(**shapes)
    net.infer_type(**dict.fromkeys(shapes, "float32"))


def use_block(folder: Path, text: bytes, values: bytes) -> None:
    """Import a graph with its parameters."""
    (folder / "net-symbol.json").write_bytes(text)
    (folder / "net-0000.params").write_bytes(values)
    files = str(folder / "net-symbol.json"), ["data", "begin"], str(folder / "net-0000.params")
    mx.gluon.SymbolBlock.imports(*files, allow_missing=True, ignore_extra=True)


class Hang(BaseException):
    """Raised by the alarm."""


def _alarm(number: int, frame: Any) -> None:
    raise Hang


def main() -> int:
    """Mutate and load; return how many failures were found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGALRM, _alarm)
    end, seed, failures = time.monotonic() + 60 * chosen.minutes, chosen.seed, 0
    kinds: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as name:
        folder, text = Path(name), graph()
        whole = parameters(folder)
        while time.monotonic() < end:
            draw = random.Random(seed)
            try:
                signal.alarm(_SECONDS)
                _load(draw, folder, text, whole)
            except MXNetError as error:
                kinds[type(error).__name__] = kinds.get(type(error).__name__, 0) + 1
            except (Exception, Hang):
                failures += 1
                print(f"--- seed {seed}\n{traceback.format_exc()[-2500:]}", flush=True)
            finally:
                signal.alarm(0)
            seed += 1
    print(f"{seed - chosen.seed} files, {failures} failures; refused with {kinds}")
    return failures


def _load(draw: random.Random, folder: Path, text: str, whole: bytes) -> None:
    way = draw.randrange(4)
    if way == 0:
        damaged = folder / "damaged.params"
        damaged.write_bytes(mutated(whole, draw))
        nd.load(str(damaged))
        nd.load_frombuffer(damaged.read_bytes())
    elif way == 1:
        use_graph(mutated(text.encode(), draw).decode("utf-8", "surrogateescape"))
    elif way == 2:
        use_graph(restructured(text, draw))
    else:
        use_block(folder, mutated(text.encode(), draw), mutated(whole, draw))


if __name__ == "__main__":
    sys.exit(bool(main()))
