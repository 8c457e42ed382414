// Looking for nodes and blocks: by name, operator, shape, attribute, file and line.

import { shapeText } from "./graph.js";

/** All that can be found of a node or a block, as [what, text]. */
export function* textsOf(graph, id) {
  if (id < 0) {
    const { kind } = graph.block(id);
    yield ["block", graph.blockTitle(id)];
    if (kind) yield ["class", kind];
    return;
  }
  const node = graph.nodes[id];
  yield ["name", node.name];
  if (node.title) yield ["operator", node.title];
  if (node.op && node.op !== node.title) yield ["operator", node.op];
  for (let i = 0; i < (node.visible ?? 1); i++) {
    const text = shapeText(graph.shapeOf(id, i));
    if (text) yield ["shape", `${text} ${graph.dtypeOf(id, i) ?? ""}`];
  }
  for (const [key, text] of Object.entries(graph.data.attributes[node.attributes] ?? {})) yield ["attribute", `${key}=${text}`];
  const location = graph.data.locations[node.location];
  if (location) yield ["location", `${location[0]}:${location[1]}`];
}

/** Find all that holds all words of a query: [{id, what, text}], operators first. */
export function search(graph, query) {
  const words = query.toLowerCase().replace(/(\d)x(?=\d)/g, "$1×").split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  const look = id => {
    const texts = [...textsOf(graph, id)];
    const hits = words.map(word => texts.find(([, text]) => text.toLowerCase().includes(word)));
    if (hits.every(Boolean)) found.push({ id, what: hits[0][0], text: hits[0][1], rank: rank(graph, id, hits, words) });
  };
  graph.nodes.forEach((_, number) => look(number));
  graph.blocks.forEach((_, number) => number && look(-1 - number));
  return found.sort((a, b) => a.rank - b.rank || Math.abs(a.id) - Math.abs(b.id));
}

const called = new Set(["name", "operator", "block", "class"]);

/** Operators before blocks, before inputs and outputs, before parameters; last what is not called so itself. */
function rank(graph, id, hits, words) {
  const kind = id < 0 ? 1 : graph.isOperator(id) ? 0 : graph.nodes[id].folded ? 3 : 2;
  const isCalled = hits.every(([what]) => called.has(what));
  const isExact = hits.some(([, text]) => text.toLowerCase() === words.join(" "));
  return isCalled ? 2 * kind + (isExact ? 0 : 1) : 8 + kind;
}

/** The boxes in which hits are seen: parameters in those of the operators that read them. */
export function boxesOf(graph, hits, seenAs) {
  const found = new Map();
  for (const { id } of hits)
    for (const shown of graph.nodes[id]?.folded ? graph.readers[id] : [id]) {
      const box = seenAs(shown);
      found.set(box, (found.get(box) ?? 0) + 1);
    }
  return found;
}
