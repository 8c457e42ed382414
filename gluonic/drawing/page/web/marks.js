// Marked nodes: what two models differ in, or where an error happened.

import { make, section } from "./elements.js";

const colours = {
  added: { light: ["#dcfce7", "#16a34a", "#14532d"], dark: ["#14361f", "#22c55e", "#bbf7d0"] },
  removed: { light: ["#fee2e2", "#dc2626", "#7f1d1d"], dark: ["#3f1a1d", "#f87171", "#fecaca"] },
  changed: { light: ["#fef3c7", "#d97706", "#78350f"], dark: ["#3b2d0d", "#fbbf24", "#fde68a"] },
  failed: { light: ["#fee2e2", "#dc2626", "#7f1d1d"], dark: ["#3f1a1d", "#f87171", "#fecaca"] },
};

export class Marked {
  constructor(graph, { summary, kinds, notes }) {
    Object.assign(this, { graph, summary, notes });
    this.kinds = new Map(Object.entries(kinds).map(([id, kind]) => [Number(id), kind]));
    this.cached = new Map();
  }

  /** The kind of mark of a node, or of the nodes in a block: "changed" if they differ. */
  kindOf(id) {
    if (!this.cached.has(id)) {
      const found = new Set(this.graph.nodesIn(id).map(node => this.kinds.get(node)).filter(Boolean));
      const all = this.graph.nodesIn(id).filter(node => this.graph.isOperator(node)).every(node => this.kinds.has(node));
      this.cached.set(id, found.size === 0 ? undefined : found.size === 1 && (all || found.has("failed")) ? [...found][0] : "changed");
    }
    return this.cached.get(id);
  }

  /** Marked boxes have colours, all others are pale. */
  colouring() {
    const plain = { light: ["#f8fafc", "#cbd5e1", "#64748b"], dark: ["#141d31", "#334155", "#94a3b8"] };
    const of = (id, ground) => {
      const [fill, line, text] = (colours[this.kindOf(id)] ?? plain)[ground];
      return { fill, line, text };
    };
    const legend = ground => [...new Set(this.kinds.values())].map(kind => {
      const [fill, line, text] = colours[kind][ground];
      return make("li", { class: "family", style: `background:${fill};border-color:${line};color:${text}` }, kind);
    });
    const mark = id => (this.kindOf(id) ? { line: colours[this.kindOf(id)].light[1] } : undefined);
    return { colourOf: of, legend, mark };
  }

  ofNode(id) {
    const kind = this.kinds.get(id);
    if (!kind) return [];
    const lines = this.notes[id] ?? [];
    return [section(kind, kind === "failed" ? make("pre", { class: "doc" }, lines.join("\n")) : make("ul", {}, lines.map(line => make("li", {}, line))))];
  }

  overview(go) {
    const rows = [...this.kinds].map(([id, kind]) => make("li", {}, make("button", { class: "link", click: () => go(id) }, this.graph.nodes[id].name), make("span", { class: "faint" }, ` ${kind}, ${this.graph.nodes[id].title}`)));
    return section("Marked", make("p", {}, this.summary), make("ul", {}, rows.slice(0, 300)));
  }
}
