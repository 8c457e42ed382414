// The graph on the page: nodes, the blocks they are nested in, what reads what, and what all of it costs.

/** A shape as text: 2×3, "?" for an axis that is not known. */
export function shapeText(shape) {
  if (!shape) return "";
  return shape.length ? shape.map(axis => axis ?? "?").join("×") : "scalar";
}

/** A number with a unit of thousands: 25.6 M. */
export function short(number) {
  const units = ["", " k", " M", " G", " T", " P"];
  let unit = 0;
  while (Math.abs(number) >= 999.5 && unit < units.length - 1) {
    number /= 1000;
    unit += 1;
  }
  return (unit && Math.abs(number) < 99.95 ? number.toFixed(1) : String(Math.round(number))) + units[unit];
}

export function bytesText(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${unit && bytes < 100 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

const product = shape => shape.reduce((a, b) => a * b, 1);

/** What is known of a graph. Things are numbered: nodes from 0, blocks as -1 - number, the root is -1. */
export class Graph {
  constructor(data) {
    this.data = data;
    this.nodes = [...data.nodes];
    this.blocks = data.blocks.map(block => ({ ...block, members: [...(block.members ?? [])] }));
    this.parents = new Map();
    this.bodies = new Map();
    this.readers = data.nodes.map(() => []);
    this.blocks.forEach((block, number) => {
      for (const member of block.members) this.parents.set(member, -1 - number);
      if (block.role === "body") {
        const holders = this.bodies.get(block.holder) ?? [];
        this.bodies.set(block.holder, [...holders, -1 - number]);
      }
    });
    for (const [holder, bodies] of this.bodies)
      for (const body of bodies) this.parents.set(body, holder);
    this.addOutputs();
    this.nodes.forEach((node, number) => {
      for (const [source] of node.inputs ?? []) this.readers[source].push(number);
    });
    this.totals = new Map();
  }

  /** The outputs are boxes, too. */
  addOutputs() {
    for (const { node, output, block, name } of this.data.outputs) {
      const number = this.nodes.length;
      const made = { name, family: "output", title: "output", inputs: [[node, output]] };
      this.nodes.push(made);
      this.readers.push([]);
      const owner = block < 0 ? 0 : block;
      this.blocks[owner].members.push(number);
      this.parents.set(number, -1 - owner);
    }
  }

  isBlock(id) {
    return id < 0;
  }

  /** Whether it can be opened: a block, or a control flow operator. */
  canOpen(id) {
    return id < 0 || this.bodies.has(id);
  }

  /** What stands inside of a block, or of an operator with bodies. */
  members(id) {
    return id < 0 ? this.blocks[-1 - id].members : this.bodies.get(id) ?? [];
  }

  block(id) {
    return this.blocks[-1 - id];
  }

  parent(id) {
    return this.parents.get(id);
  }

  /** The things around it, outermost first, without the root. */
  around(id) {
    const found = [];
    for (let at = this.parent(id); at !== undefined && at !== -1; at = this.parent(at)) found.push(at);
    return found.reverse();
  }

  /** All nodes in a block, those in bodies of operators included unless `bodies` is false. */
  nodesIn(id, { bodies = true } = {}) {
    const found = [];
    const stack = [id];
    while (stack.length) {
      const at = stack.pop();
      if (at >= 0) found.push(at);
      const members = at >= 0 && !bodies ? [] : this.members(at);
      for (let i = members.length - 1; i >= 0; i--) stack.push(members[i]);
    }
    return found;
  }

  /** The parameters that a node reads. */
  parametersOf(number) {
    const inputs = this.nodes[number].inputs ?? [];
    return inputs.map(([source]) => source).filter(source => this.nodes[source].folded);
  }

  isOperator(number) {
    return this.nodes[number].op !== undefined;
  }

  shapeOf(number, output = 0) {
    return this.nodes[number].shapes?.[output] ?? this.data.parameters[number]?.shape;
  }

  dtypeOf(number, output = 0) {
    return this.nodes[number].dtypes?.[output] ?? this.data.parameters[number]?.dtype;
  }

  /** What a node or a block sums up to: operators, parameters (each once), operations, bytes. */
  total(id) {
    if (!this.totals.has(id)) this.totals.set(id, this.sum(id));
    return this.totals.get(id);
  }

  sum(id) {
    const found = { operators: 0, numbers: 0, parameterBytes: 0, operations: 0, read: 0, written: 0, unknown: 0, families: new Map() };
    const seen = new Set();
    const whole = new Set(this.nodesIn(id, { bodies: false }));
    for (const number of this.nodesIn(id)) {
      const node = this.nodes[number];
      if (!this.isOperator(number)) continue;
      found.operators += 1;
      found.families.set(node.family, (found.families.get(node.family) ?? 0) + 1);
      for (const parameter of this.parametersOf(number)) seen.add(parameter);
      if (!whole.has(number)) continue; // counted with the loop or branch that runs it
      if (node.cost) {
        found.operations += node.cost[0];
        found.read += node.cost[1];
        found.written += node.cost[2];
      } else found.unknown += 1;
    }
    for (const parameter of seen) {
      const shape = this.shapeOf(parameter);
      if (!shape || shape.includes(null)) continue;
      found.numbers += product(shape);
      found.parameterBytes += product(shape) * (sizes[this.dtypeOf(parameter)] ?? 4);
    }
    return found;
  }

  /** What a block is called in its box. */
  blockTitle(id) {
    return this.block(id).title;
  }

  /** What is written in its box besides: its class, or the names in it. */
  blockDetail(id) {
    return this.block(id).detail ?? "";
  }
}

export const sizes = { float64: 8, int64: 8, uint64: 8, float32: 4, int32: 4, uint32: 4, float16: 2, bfloat16: 2, int16: 2, uint16: 2, int8: 1, uint8: 1, bool: 1 };
