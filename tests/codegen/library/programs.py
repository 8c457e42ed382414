"""Programs in C that run libraries: made from the header, compiled, and run as processes."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "{prefix}.h"

/* Reads batch sizes and inputs from a file; writes outputs to another. */
int main(int count, char **arguments)
{{
    {prefix}_context *context;
    FILE *in = fopen(arguments[1], "rb"), *out = fopen(arguments[2], "wb");
    int64_t batch;
    if (!in || !out || {prefix}_create(&context{file}) != 0)
        return 1;
    while (fread(&batch, sizeof batch, 1, in) == 1) {{
{reads}
        int status = {prefix}_run(context, batch{names});
        if (status != 0)
            return 10 + status;
{writes}
    }}
    {prefix}_free(context);
    return fclose(out);
}}
"""
_READ = """        int64_t size_{name} = {prefix}_input_elements({index}, batch);
        {kind} *{name} = malloc(size_{name} * sizeof *{name} + 1);
        if (size_{name} < 0 || fread({name}, sizeof *{name}, size_{name}, in) != (size_t)size_{name})
            return 2;"""
_ROOM = """        int64_t size_{name} = {prefix}_output_elements({index}, batch);
        if (size_{name} < 0)
            return 3;
        {kind} *{name} = malloc(size_{name} * sizeof *{name} + 1);"""
_WRITE = "        fwrite({name}, sizeof *{name}, size_{name}, out);\n        free({name});"


def arguments_of(header: Path) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The types and names of the arrays that a library's run takes: inputs and outputs."""
    (listed,) = re.findall(r"int32_t \w+_run\((.*?)\);", header.read_text(), re.DOTALL)
    found = re.findall(r"(const )?(\w+) \*(\w+)", listed)[1:]
    inputs = [(kind, name) for is_input, kind, name in found if is_input]
    return inputs, [(kind, name) for is_input, kind, name in found if not is_input]


def program(header: Path, weights: str | None = None) -> str:
    """The text of a program for the library of a header."""
    prefix = header.stem
    inputs, outputs = arguments_of(header)
    reads = [
        _READ.format(prefix=prefix, index=index, kind=kind, name=name)
        for index, (kind, name) in enumerate(inputs)
    ]
    reads += [
        _ROOM.format(prefix=prefix, index=index, kind=kind, name=name)
        for index, (kind, name) in enumerate(outputs)
    ]
    names = [name for _, name in (*inputs, *outputs)]
    return _PROGRAM.format(
        prefix=prefix,
        file=f', "{weights}"' if weights else "",
        reads="\n".join(reads),
        names="".join(f", {name}" for name in names),
        writes="\n".join(_WRITE.format(name=name) for name in names),
    )


def compile_program(
    source: str, folder: Path, library: Path, compiler: str = "cc", name: str = "program"
) -> Path:
    """Compile a program beside a library, and link it to that; warnings are errors."""
    text, goal = folder / f"{name}.c", folder / name
    text.write_text(source)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command = [compiler, *strict, "-o", str(goal), str(text), str(library), "-lm"]
    done = subprocess.run(
        [*command, f"-Wl,-rpath,{folder}"], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return goal


def run_program(
    program: Path,
    header: Path,
    batches: Sequence[Sequence[np.ndarray[Any, Any]]],
    command: Sequence[str] = (),
    status: int = 0,
) -> bytes:
    """Run a program on batches of inputs; returns what it writes: inputs and outputs of each batch."""
    given, written = program.with_suffix(".in"), program.with_suffix(".out")
    pieces = []
    for arrays in batches:
        pieces += [np.int64(len(arrays[0])).tobytes(), *(array.tobytes() for array in arrays)]
    given.write_bytes(b"".join(pieces))
    run = [*command, str(program), str(given), str(written)]
    done = subprocess.run(run, capture_output=True, check=False)
    assert done.returncode == status, (done.returncode, done.stderr)
    return written.read_bytes()


def expected(
    batches: Sequence[Sequence[np.ndarray[Any, Any]]],
    results: Sequence[Sequence[np.ndarray[Any, Any]]],
) -> bytes:
    """What a program writes if it computes such results."""
    pairs = zip(batches, results, strict=True)
    return b"".join(array.tobytes() for pair in pairs for arrays in pair for array in arrays)
