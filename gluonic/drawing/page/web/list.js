// The graph as a list, for screen readers and for whoever likes lists: blocks unfold, nodes say what they read.

import { make } from "./elements.js";
import { shapeText } from "./graph.js";

/** Fill an element with the list. `go(id)` selects something. */
export function list(graph, root, go) {
  root.replaceChildren(...graph.members(-1).map(member => entry(graph, member, go)));
}

function entry(graph, id, go) {
  const children = graph.members(id);
  const own = id < 0 ? blockText(graph, id) : nodeText(graph, id);
  if (!children.length) return make("li", {}, make("button", { class: "link", click: () => go(id) }, own));
  const inner = make("ol");
  const unfolding = make("details", {
    toggle: () => {
      if (unfolding.open && !inner.childElementCount) inner.append(...children.map(child => entry(graph, child, go)));
    },
  }, make("summary", {}, own), make("button", { class: "small", click: () => go(id) }, "show"), inner);
  return make("li", {}, unfolding);
}

function blockText(graph, id) {
  return `${graph.blockTitle(id)} ${graph.blockDetail(id)}: ${graph.total(id).operators} operators`;
}

function nodeText(graph, id) {
  const node = graph.nodes[id];
  const from = (node.inputs ?? []).filter(([s]) => !graph.nodes[s].folded).map(([s]) => graph.nodes[s].name);
  const shape = shapeText(graph.shapeOf(id));
  return [node.title ? `${node.title} ${node.name}` : `input ${node.name}`, from.length ? `reads ${from.join(", ")}` : "", shape ? `gives ${shape}` : ""].filter(Boolean).join("; ");
}
