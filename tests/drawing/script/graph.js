// A small graph for tests: data → a → (block: b → c) → d, and a weight that b reads.

import { Graph } from "../../../gluonic/drawing/page/web/graph.js";

export function sample() {
  return new Graph({
    title: "sample",
    nodes: [
      { name: "data", family: "input", shapes: [[2, 3]] },
      { name: "a", op: "tanh", title: "tanh", family: "activation", inputs: [[0, 0]], shapes: [[2, 3]], dtypes: ["float32"], cost: [6, 24, 24], attributes: 0, location: 0 },
      { name: "w_weight", family: "parameter", folded: 1, shapes: [[4, 3]], dtypes: ["float16"] },
      { name: "b", op: "FullyConnected", title: "FullyConnected", family: "linear", inputs: [[1, 0], [2, 0]], shapes: [[2, 4]], cost: [40, 60, 32], attributes: 1 },
      { name: "c", op: "tanh", title: "tanh", family: "activation", inputs: [[3, 0]], shapes: [[2, 4]], cost: [8, 32, 32] },
      { name: "d", op: "add", title: "add", family: "elementwise", inputs: [[4, 0], [1, 0]] },
    ],
    blocks: [
      { name: "", title: "", role: "root", members: [0, 1, -2, 5] },
      { name: "inner_", title: "inner_", detail: "Dense", kind: "Dense", role: "block", members: [3, 4] },
    ],
    outputs: [{ node: 5, output: 0, block: -1, name: "d" }],
    operators: { tanh: { documentation: "Tangent.", defaults: {} } },
    attributes: [{ scale: "2" }, { num_hidden: "4" }],
    slots: [],
    locations: [["/home/me/model.py", 12, "hybrid_forward"]],
    sources: {},
    parameters: {},
    families: {},
  });
}

export const metrics = {
  sizeOf: () => ({ width: 80, height: 30 }),
  labelOf: () => 30,
  headOf: () => 100,
};
