"""The module of JavaScript beside a module of WebAssembly: it loads it and calls the net with typed arrays."""

import json
from collections.abc import Sequence
from typing import Any

from gluonic.codegen.library.interface import Status
from gluonic.codegen.library.ports import Port

PROVIDED = {"fmod": "(x, y) => x % y", "fmodf": "(x, y) => x % y"}
"""The functions that JavaScript computes for the code."""
_ARRAYS = {
    "float16": "Uint16Array", "float32": "Float32Array", "float64": "Float64Array", "bool": "Uint8Array",
    "int8": "Int8Array", "uint8": "Uint8Array", "int32": "Int32Array", "int64": "BigInt64Array",
}  # fmt: skip
_MEANINGS = {
    Status.NULL_POINTER: "a pointer is null",
    Status.BATCH_SIZE: "the net does not serve this batch size",
    Status.NO_MEMORY: "there is not enough memory",
    Status.VALUE: "an input has a value without a result, such as an index out of range",
}
_TEXT = """\
// {prefix}: a net as WebAssembly, written by gluonic: {version}
//
//     import {{ load }} from "./{stem}.mjs";
//     const net = await load();
//     const {{ {first_output} }} = net.run({{ {input_example} }}, 1);
//
// Batches of {batches}. Inputs:
{inputs_text}
// Outputs:
{outputs_text}

const INPUTS = {inputs};
const OUTPUTS = {outputs};
const MEANINGS = {meanings};
const FUNCTIONS = {{ {functions} }};

function fail(status) {{
  throw new Error(MEANINGS[status] ?? `status ${{status}}`);
}}

class Net {{
  #code;
  #context;
  #memory = new Map();

  constructor(code) {{
    this.#code = code;
    const place = this.#block("context", 8);
    const status = code.{prefix}_create(place);
    if (status) fail(status);
    this.#context = new Uint32Array(code.memory.buffer, place, 1)[0];
  }}

  // Computes the outputs, as an object of new typed arrays, from an object of typed arrays, one for each input.
  run(inputs, batch = 1) {{
    const places = INPUTS.map((port, index) => this.#copied(port, index, inputs[port.name], batch));
    const results = OUTPUTS.map((port, index) => {{
      const size = this.#elements("output", index, batch);
      const place = this.#block(`output ${{index}}`, size * port.array.BYTES_PER_ELEMENT);
      return {{ port, size, place }};
    }});
    const all = [...places, ...results.map((result) => result.place)];
    const status = this.#code.{prefix}_run(this.#context, BigInt(batch), ...all);
    if (status) fail(status);
    const view = ({{ port, size, place }}) => new port.array(this.#code.memory.buffer, place, size);
    return Object.fromEntries(results.map((result) => [result.port.name, view(result).slice()]));
  }}

  #elements(kind, index, batch) {{
    const count = Number(this.#code[`{prefix}_${{kind}}_elements`](index, BigInt(batch)));
    return count < 0 ? fail(-count) : count;
  }}

  #copied(port, index, values, batch) {{
    const size = this.#elements("input", index, batch);
    if (!(values instanceof port.array) || values.length !== size) {{
      throw new TypeError(`${{port.name}} must be a ${{port.array.name}} of ${{size}} elements`);
    }}
    const place = this.#block(`input ${{index}}`, values.byteLength);
    new port.array(this.#code.memory.buffer, place, size).set(values);
    return place;
  }}

  // Memory that is kept for the next call, and grows.
  #block(name, bytes) {{
    const kept = this.#memory.get(name);
    if (kept && kept.bytes >= bytes) return kept.place;
    if (kept) this.#code.free(kept.place);
    this.#memory.delete(name);
    const place = this.#code.malloc(BigInt(bytes));
    if (!place) fail({no_memory});
    this.#memory.set(name, {{ place, bytes }});
    return place;
  }}
}}

// Loads the net: from the file beside this one, from another URL, or from bytes.
export async function load(source = new URL("{stem}.wasm", import.meta.url)) {{
  const isBytes = source instanceof ArrayBuffer || ArrayBuffer.isView(source);
  const bytes = isBytes ? source : await (await fetch(source)).arrayBuffer();
  const {{ instance }} = await WebAssembly.instantiate(bytes, {{ env: FUNCTIONS }});
  return new Net(instance.exports);
}}
"""


def script(
    stem: str,
    prefix: str,
    version: str,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    batches: tuple[int, int],
    needed: Sequence[str],
) -> str:
    """The text of the module.

    Parameters
    ----------
    stem : the name of the files, without their endings
    prefix : what the names of functions begin with
    version : a text
    inputs, outputs : the arrays of a call
    batches : the least and the largest batch size
    needed : the functions that the code needs from JavaScript
    """
    least, most = batches
    return _TEXT.format(
        stem=stem,
        prefix=prefix,
        version=version,
        batches=f"{least} to {most}" if least < most else str(most),
        first_output=outputs[0].name,
        input_example=", ".join(port.name for port in inputs),
        inputs_text="\n".join(map(_described, inputs)),
        outputs_text="\n".join(map(_described, outputs)),
        inputs=_listed(inputs),
        outputs=_listed(outputs),
        meanings=json.dumps({int(status): text for status, text in _MEANINGS.items()}),
        no_memory=int(Status.NO_MEMORY),
        functions=", ".join(f"{name}: {PROVIDED[name]}" for name in needed),
    )


def _described(port: Port) -> str:
    return f"//   {port.name}: {_array(port)}, {port.description}"


def _array(port: Port) -> str:
    return _ARRAYS[port.dtype.name]


def _listed(ports: Sequence[Port]) -> str:
    shown: list[Any] = [f"{{ name: {json.dumps(p.name)}, array: {_array(p)} }}" for p in ports]
    return f"[{', '.join(shown)}]"
