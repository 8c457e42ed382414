// Looking for nodes and blocks: by name, operator, shape, attribute, file and line.

import { shapeText } from "./graph.js";

const most = 300;

/** All that can be found of a node or a block, as [what, text]. */
export function* textsOf(graph, id) {
  if (id < 0) {
    const { name, kind } = graph.block(id);
    yield ["block", name ?? ""];
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

/** Find what holds all words of a query: [{id, what, text}], names first. */
export function search(graph, query) {
  const words = query.toLowerCase().replace(/(\d)x(?=\d)/g, "$1×").split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  const look = id => {
    const texts = [...textsOf(graph, id)];
    const hits = words.map(word => texts.find(([, text]) => text.toLowerCase().includes(word)));
    if (hits.every(Boolean)) found.push({ id, what: hits[0][0], text: hits[0][1], rank: rank(texts, words) });
  };
  graph.blocks.forEach((block, number) => number && block.role !== "unit" && look(-1 - number));
  graph.nodes.forEach((_, number) => look(number));
  return found.sort((a, b) => a.rank - b.rank || Math.abs(a.id) - Math.abs(b.id)).slice(0, most);
}

function rank(texts, words) {
  const name = texts[0][1].toLowerCase();
  if (name === words.join(" ")) return 0;
  return words.every(word => name.includes(word)) ? 1 : 2;
}
