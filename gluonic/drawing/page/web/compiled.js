// The compiler's view: which step computes a node, why it is one, its code, memory over time, and times.

import { inflated } from "./packing.js";
import { heat, mixed, numbered } from "./colours.js";
import { details, make, section, table } from "./elements.js";
import { bytesText, shapeText } from "./graph.js";

const svgNames = "http://www.w3.org/2000/svg";

export class Compiled {
  constructor(graph, facts) {
    this.graph = graph;
    this.facts = facts;
    this.stepsOf = new Map();
    facts.steps.forEach((step, number) => {
      for (const node of step.nodes) this.stepsOf.set(node, [...(this.stepsOf.get(node) ?? []), number]);
    });
    this.times = facts.times;
  }

  /** The step that computes a node, rather than one that only prepares or moves. */
  stepOf(node) {
    const steps = this.stepsOf.get(node) ?? [];
    return steps.findLast(number => !this.facts.steps[number].kept) ?? steps.at(-1);
  }

  async codeOf(name) {
    this.code ??= inflated(this.facts.code);
    return (await this.code)[name];
  }

  // Colours

  /** Colours by step: those that share one share a colour. */
  bySteps() {
    const colourOf = (id, ground) => {
      const steps = new Set(this.graph.nodesIn(id).map(node => this.stepOf(node)).filter(step => step !== undefined));
      if (steps.size !== 1) return undefined;
      const [step] = steps;
      if (this.facts.steps[step].kind === "python") return { fill: ground === "light" ? "#fee2e2" : "#4c1d24", line: "#ef4444", text: ground === "light" ? "#7f1d1d" : "#fecaca" };
      return numbered(step, ground);
    };
    const legend = () => [make("li", { class: "family" }, "one colour: one step"), make("li", { class: "family", style: "background:#fee2e2;color:#7f1d1d" }, "Python")];
    return { colourOf: this.onlyOperators(colourOf), legend };
  }

  /** Colours by time: compiled, or eager. */
  byTime(kind) {
    const times = new Map();
    for (let id = 0; id < this.graph.nodes.length; id++) times.set(id, this.timeOf(id, kind));
    const most = Math.max(...times.values(), 1e-9);
    const of = id => Math.max(0, ...this.graph.nodesIn(id).map(node => times.get(node)));
    const colourOf = (id, ground) => heat(Math.min(1, of(id) / most), ground);
    return { colourOf: this.onlyOperators(colourOf), legend: () => [make("li", { class: "family" }, `pale: 0 µs, red: ${micro(most)}; blocks as the slowest in them`)] };
  }

  onlyOperators(colourOf) {
    return (id, ground) => (id >= 0 && !this.graph.isOperator(id) ? undefined : colourOf(id, ground));
  }

  /** The time of a node: its part of the step that it shares. */
  timeOf(node, kind) {
    if (kind === "eager") return this.times.eager[node] ?? 0;
    const step = this.stepOf(node);
    if (step === undefined) return 0;
    return (this.times.steps[step] ?? 0) / Math.max(1, this.facts.steps[step].nodes.length);
  }

  timeIn(id, kind) {
    return this.graph.nodesIn(id).reduce((sum, node) => sum + this.timeOf(node, kind), 0);
  }

  // The panel

  /** What the panel says of a node. */
  ofNode(id, go) {
    if (!this.graph.isOperator(id)) return [];
    const numbers = this.stepsOf.get(id) ?? [];
    if (!numbers.length) return [section("Compiled", make("p", { class: "faint" }, "Takes no step: its result is another one's memory, or nothing reads it."))];
    const times = this.times ? [this.timeRows(id)] : [];
    return [section("Compiled", ...times, ...numbers.map(number => this.step(number, go)))];
  }

  timeRows(id) {
    const rows = [["compiled", micro(this.timeIn(id, "compiled"))]];
    // A loop runs eagerly as the operators of its steps, which are none of the graph's.
    if (this.times.eager[id] !== undefined) rows.push(["eager", micro(this.times.eager[id])]);
    return table(rows);
  }

  step(number, go) {
    const step = this.facts.steps[number];
    const others = step.nodes.map(node => make("li", {}, make("button", { class: "link", click: () => go(node) }, this.graph.nodes[node].name), make("span", { class: "faint" }, ` ${this.graph.nodes[node].title}`)));
    const time = this.times?.steps[number];
    const rows = [["runs as", step.operators.map(name => name.split(" ")[0]).join(" → ")], [step.kind === "python" ? "shape" : "over", shapeText(step.shape)]];
    if (time !== undefined) rows.push(["time", micro(time)]);
    return make("div", { class: "step" }, make("b", {}, `Step ${number}`, make("span", { class: "family" }, step.kind)), make("p", {}, step.why), table(rows), this.apart(step, go),
      others.length > 1 ? details(`computes ${others.length} operators`, make("ul", {}, others)) : null, step.function ? this.codeView(step.function) : null);
  }

  /** Why it is not one step with those that it reads from. */
  apart(step, go) {
    const rows = step.apart.map(([number, why]) => {
      const [node] = this.facts.steps[number].nodes;
      const name = `step ${number}`;
      return make("li", {}, "Not one with ", node === undefined ? name : make("button", { class: "link", click: () => go(node) }, name), `: ${why}`);
    });
    return rows.length ? make("ul", { class: "apart" }, rows) : null;
  }

  codeView(name) {
    const parts = [["LLVM IR", "llvm"], ["assembly", "assembly"]].map(([title, kind]) => {
      const text = make("pre", {}, "…");
      const unfolding = details(title, text);
      unfolding.addEventListener("toggle", async () => {
        const code = await this.codeOf(name);
        text.textContent = code?.[kind] || "left out: the code of all steps is too large for a page; net.explain(x) has it";
      }, { once: true });
      return unfolding;
    });
    return make("div", {}, ...parts);
  }

  /** What the panel says of the whole graph. */
  overview(go) {
    const { steps, native_calls: calls, saved_bytes: saved, arena_bytes: arena } = this.facts;
    const kinds = kind => steps.filter(step => step.kind === kind).length;
    const rows = [["steps", `${steps.length}: ${kinds("kernel")} kernels in ${calls} native calls, ${kinds("python")} in Python`], ["saved", `${bytesText(saved)} that never reach memory`], ["arena", bytesText(arena)]];
    if (this.times) {
      const sum = times => Object.values(times).reduce((a, b) => a + b, 0);
      rows.push(["compiled", micro(sum(this.times.steps))], ["eager", micro(sum(this.times.eager))], ["runs", `${this.times.runs}; the shortest time of each step`]);
    }
    return make("div", {}, section("Compiled", table(rows)), this.times ? section("Time by block", this.flames(go)) : null, this.facts.memory.length ? section("Memory over time", this.memory(go)) : null, this.passes(), section("Steps", details(`all ${steps.length}`, this.stepList(go))));
  }

  /** The passes, in order; the graph after each can be looked at. */
  passes() {
    if (!this.facts.passes?.length) return null;
    const rows = this.facts.passes.map(({ name, contract, milliseconds, summary, graph }, number) => make("li", { class: graph ? "" : "faint", title: contract },
      graph ? make("button", { class: "link", click: () => this.showPass(number) }, name) : name, make("span", { class: "faint" }, ` ${milliseconds} ms, ${summary ?? "nothing to do"}`)));
    return section("Passes", make("ol", {}, rows));
  }

  stepList(go) {
    return make("ol", { start: 0 }, this.facts.steps.map(step => {
      const text = step.nodes.map(node => this.graph.nodes[node].title).join(" + ") || step.operators[0];
      return make("li", {}, step.nodes.length ? make("button", { class: "link", click: () => go(step.nodes[0]) }, text) : text, make("span", { class: "faint" }, ` ${step.kind} ${shapeText(step.shape)}`));
    }));
  }

  /** Blocks above what they hold, as wide as their time. */
  flames(go) {
    const [width, height] = [336, 20];
    const found = drawing(width, 0, "the time of each block, above that of what it holds");
    const whole = this.timeIn(-1, "compiled") || 1;
    let deepest = 0;
    const add = (id, x, depth) => {
      const time = this.timeIn(id, "compiled");
      const wide = (time / whole) * width;
      if (wide < 1.5 || depth > 11) return 0;
      deepest = Math.max(deepest, depth);
      const title = id === -1 ? this.graph.data.title : id < 0 ? this.graph.blockTitle(id) : this.graph.nodes[id].title;
      bar(found, { x, y: depth * height, width: wide - 0.5, height: height - 1, fill: mixed("#fde68a", "#f97316", Math.min(1, depth / 5)) }, `${title}: ${micro(time)}, ${Math.round((100 * time) / whole)} %`, () => go(id), wide > 34 ? title : "");
      let at = x;
      for (const member of this.graph.members(id)) at += add(member, at, depth + 1);
      return wide;
    };
    add(-1, 0, 0);
    size(found, width, (deepest + 1) * height);
    return found;
  }

  /** The arena: steps from left to right, addresses from bottom to top. */
  memory(go) {
    const [width, height] = [336, 150];
    const { memory, steps } = this.facts;
    const arena = Math.max(...memory.map(([, offset, bytes]) => offset + bytes));
    const found = drawing(width, height, "what lies in the arena at each step");
    const first = Math.min(...memory.map(([, , , begin]) => begin));
    const unit = width / Math.max(1, steps.length - first);
    const byName = new Map(this.graph.nodes.map((node, id) => [node.name, id]));
    memory.forEach(([name, offset, bytes, begin, end], number) => {
      const box = { x: (begin - first) * unit, width: Math.max(1, (end - begin + 1) * unit - 0.4), y: height - ((offset + bytes) / arena) * height, height: Math.max(0.7, (bytes / arena) * height - 0.4), fill: numbered(number, "light").line };
      const id = byName.get(name);
      bar(found, box, `${name}: ${bytesText(bytes)} at ${offset}, steps ${begin} to ${end}`, id === undefined ? undefined : () => go(id));
    });
    return found;
  }
}

export function micro(time) {
  return time >= 1000 ? `${(time / 1000).toFixed(time < 10000 ? 2 : 1)} ms` : `${time < 10 ? time.toFixed(1) : Math.round(time)} µs`;
}

function drawing(width, height, label) {
  const found = document.createElementNS(svgNames, "svg");
  found.setAttribute("role", "img");
  found.setAttribute("aria-label", label);
  found.setAttribute("class", "chart");
  size(found, width, height);
  return found;
}

function size(element, width, height) {
  element.setAttribute("viewBox", `0 0 ${width} ${height}`);
  element.setAttribute("width", "100%");
}

function bar(parent, attributes, title, click, text = "") {
  const group = document.createElementNS(svgNames, "g");
  const rect = document.createElementNS(svgNames, "rect");
  for (const [key, value] of Object.entries(attributes)) key === "fill" ? (rect.style.fill = value) : rect.setAttribute(key, value);
  const tip = document.createElementNS(svgNames, "title");
  tip.textContent = title;
  group.append(tip, rect);
  if (text) {
    const words = document.createElementNS(svgNames, "text");
    words.setAttribute("x", attributes.x + 4);
    words.setAttribute("y", attributes.y + attributes.height - 5);
    words.textContent = text.slice(0, Math.floor((attributes.width - 6) / 6));
    group.append(words);
  }
  if (click) {
    group.addEventListener("click", click);
    group.style.cursor = "pointer";
  }
  parent.append(group);
}
