// What stands in boxes and on arrows, and how large that is.

import { shapeText, short } from "./graph.js";

export const font = "Inter, system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif";
export const line = 15;
export const stack = 6;
/** How much higher a box is than its lines. */
export const frame = 11;
export const quietFrame = 4;
const longest = 38;
const longestTitle = 48;

export function shortened(text, most = longest) {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= most ? flat : `${flat.slice(0, most / 2 - 1)}…${flat.slice(-(most / 2))}`;
}

/** Reads texts, shapes and names off a graph and measures them; `measure(text, size, bold)` is a width. */
export class Boxes {
  constructor(graph, measure) {
    this.graph = graph;
    this.widths = new Map();
    this.cached = new Map();
    this.measure = (text, size, bold = false) => {
      const key = `${size}${bold}${text}`;
      if (!this.widths.has(key)) this.widths.set(key, measure(text, size, bold));
      return this.widths.get(key);
    };
  }

  /** The lines in a closed box: [text, size, bold]. */
  lines(id) {
    if (!this.cached.has(id)) this.cached.set(id, id < 0 ? this.ofBlock(id) : this.ofNode(id));
    return this.cached.get(id);
  }

  ofNode(id) {
    const node = this.graph.nodes[id];
    if (node.family === "output") return [[shortened(node.name), 11.5, true]];
    if (!this.graph.isOperator(id)) return [[shortened(node.name || "(no name)"), 12, true], ...this.variableShape(id)];
    if (node.quiet) return [[shortened(`${node.title} ${node.detail ?? ""}`.trim()), 10, false], ...noteOf(node)];
    const found = [[shortened(node.title), 12, true]];
    if (node.detail) {
      if (node.title.length + node.detail.length < 26) found[0][0] += ` ${node.detail}`;
      else found.push([node.detail, 10.5, false]);
    }
    const shapes = this.graph.parametersOf(id).map(p => shapeText(this.graph.shapeOf(p))).filter(Boolean);
    const text = shapes.length > 2 && new Set(shapes).size === 1 ? `${shapes.length} × (${shapes[0]})` : shapes.join(" · ");
    if (text) found.push([shortened(text), 10, false]);
    return [...found, ...noteOf(node)];
  }

  variableShape(id) {
    const text = this.typeText(id, 0);
    return text ? [[text, 10, false]] : [];
  }

  ofBlock(id) {
    const [title, detail] = this.headTexts(id);
    const found = [[title, 12, true]];
    if (detail) found.push([detail, 10.5, false]);
    const { operators, numbers } = this.graph.total(id);
    const counts = `${operators} operator${operators === 1 ? "" : "s"}`;
    found.push([numbers ? `${counts} · ${short(numbers)} parameters` : counts, 10, false]);
    return [...found, ...noteOf(this.graph.block(id))];
  }

  sizeOf(id) {
    const lines = this.lines(id);
    const width = Math.max(...lines.map(([text, size, bold]) => this.measure(text, size, bold)));
    if (this.isQuiet(id)) return { width: width + 14, height: lines.length * line + quietFrame };
    const handle = this.graph.canOpen(id) ? 30 : 0;
    const strip = id < 0 ? 8 : 0;
    const behind = this.isRepeat(id) ? stack : 0;
    return { width: Math.max(58, width + 22 + handle) + behind, height: lines.length * line + frame + strip + behind };
  }

  /** Whether a box is small and pale: its operator only gives the same numbers another shape. */
  isQuiet(id) {
    return id >= 0 && Boolean(this.graph.nodes[id].quiet);
  }

  /** What a box says in short, in full. */
  tooltip(id) {
    if (id < 0) return [this.graph.blockTitle(id), this.graph.blockDetail(id)].filter(Boolean).join("\n");
    const { name, title, attributes } = this.graph.nodes[id];
    const given = Object.entries(this.graph.data.attributes[attributes] ?? {}).map(([key, text]) => `${key}=${text}`);
    const parameters = this.graph.parametersOf(id).map(p => `${this.graph.nodes[p].name}: ${this.typeText(p, 0)}`);
    return [title ? `${title} ${name}` : name, ...given, ...parameters].join("\n");
  }

  isRepeat(id) {
    return id < 0 && this.graph.block(id).role === "repeat";
  }

  /** The title of an open block, and what it is called besides. */
  headTexts(id) {
    if (id >= 0) return [this.lines(id)[0][0], ""];
    return [this.graph.blockTitle(id), this.graph.blockDetail(id)].map(text => shortened(text, longestTitle));
  }

  headOf(id) {
    const [title, detail] = this.headTexts(id);
    return this.measure(title, 11.5, true) + (detail ? this.measure(detail, 11) + 8 : 0) + 46;
  }

  /** The label on flows ("node:output") that leave a box together. */
  label(flows, start) {
    const pairs = flows.map(flow => flow.split(":").map(Number));
    if (pairs.length === 1) {
      const [[number, output]] = pairs;
      if (!this.graph.isOperator(number)) return ""; // a variable says it in its box
      const text = this.typeText(number, output);
      return number === start && (this.graph.nodes[number].visible ?? 1) > 1 ? [`output ${output}`, text].filter(Boolean).join(": ") : text;
    }
    const what = pairs.every(([number]) => number === start) ? "outputs" : "arrays";
    const types = new Set(pairs.map(([number, output]) => this.typeText(number, output)));
    const [each] = types.size === 1 ? types : [""];
    return `${pairs.length} ${what}${each ? `, each ${each}` : ""}`;
  }

  typeText(number, output) {
    const dtype = this.graph.dtypeOf(number, output);
    return [shapeText(this.graph.shapeOf(number, output)), dtype && dtype !== "float32" ? dtype : ""].filter(Boolean).join(" ");
  }

  labelOf(flows, start) {
    const text = this.label(flows, start);
    return text ? this.measure(text, 10) : 0;
  }

  get metrics() {
    return { sizeOf: id => this.sizeOf(id), labelOf: (flows, start) => this.labelOf(flows, start), headOf: id => this.headOf(id) };
  }
}

/** The last line of a box: what was measured. */
function noteOf(thing) {
  return thing.note ? [[thing.note, 10, false]] : [];
}
