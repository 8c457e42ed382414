// The compiler's view: which step computes a node, why it is one, its code, memory over time, and times.

import { inflated } from "./packing.js";
import { bar, drawing, xAxis, yAxis } from "./charts.js";
import { heat, mixed, numbered } from "./colours.js";
import { details, make, section, table } from "./elements.js";
import { bytesText, shapeText } from "./graph.js";

const mostRanked = 12;

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
    const times = this.graph.nodes.map((_, id) => this.longestAt(id, kind));
    const most = times.reduce((a, b) => Math.max(a, b), 1e-9);
    const of = id => this.graph.nodesIn(id).reduce((a, node) => Math.max(a, times[node]), 0);
    const colourOf = (id, ground) => heat(Math.min(1, of(id) / most), ground);
    return { colourOf: this.onlyOperators(colourOf), legend: () => [make("li", { class: "family" }, `pale: 0 µs, red: ${micro(most)}; ${kind === "eager" ? "" : "operators as the slowest step that they run in, "}blocks as the slowest in them`)] };
  }

  onlyOperators(colourOf) {
    return (id, ground) => (id >= 0 && !this.graph.isOperator(id) ? undefined : colourOf(id, ground));
  }

  /** The time of the slowest step that a node runs in, which it may share. */
  longestAt(node, kind) {
    if (kind === "eager") return this.times.eager[node] ?? 0;
    return (this.stepsOf.get(node) ?? []).reduce((most, step) => Math.max(most, this.times.steps[step] ?? 0), 0);
  }

  /** The time of the steps that belong to operators in a block; that of a shared step belongs to one of them. */
  timeIn(id) {
    this.owned ??= this.timesByOwner();
    return this.graph.nodesIn(id).reduce((sum, node) => sum + (this.owned.get(node) ?? 0), 0);
  }

  timesByOwner() {
    const found = new Map();
    this.facts.steps.forEach(({ owner }, number) => found.set(owner, (found.get(owner) ?? 0) + (this.times.steps[number] ?? 0)));
    return found;
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
    const shared = (this.stepsOf.get(id) ?? []).filter(number => this.times.steps[number] !== undefined && this.facts.steps[number].owner !== id);
    const others = shared.map(number => `in step ${number}, whose time belongs to ${this.graph.nodes[this.facts.steps[number].owner].name}`);
    const own = this.timeIn(id);
    const rows = [["compiled", [own || !others.length ? micro(own) : "", ...others].filter(Boolean).join("; ")]];
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
    if (this.times) rows.push(["compiled", micro(sum(this.times.steps))], ["eager", micro(sum(this.times.eager))], ["runs", `${this.times.runs}; the shortest time of each step`]);
    const timed = this.times ? [section("Slowest steps", this.ranking(go)), section("Time by block", this.flames(go))] : [];
    return make("div", {}, section("Compiled", table(rows)), ...timed, this.facts.memory.length ? section("Memory over time", this.memory(go)) : null, this.passes(), section("Steps", details(`all ${steps.length}`, this.stepList(go))));
  }

  /** The passes, in order; the graph after each can be looked at. */
  passes() {
    if (!this.facts.passes?.length) return null;
    const rows = this.facts.passes.map(({ name, contract, milliseconds, summary, graph }, number) => make("li", { class: graph ? "" : "faint", title: contract },
      graph ? make("button", { class: "link", click: () => this.showPass(number) }, name) : name, make("span", { class: "faint" }, ` ${milliseconds} ms, ${summary ?? "nothing to do"}`)));
    const together = this.facts.passes.reduce((all, { milliseconds }) => all + milliseconds, 0);
    return section("Passes", make("ol", {}, rows), make("p", { class: "faint" }, `${together.toFixed(2)} ms together; each pass's own time`));
  }

  /** The steps by their times, the slowest first, with their part of the whole. */
  ranking(go) {
    const { ranked, steps } = this.times;
    const whole = sum(steps) || 1;
    const row = number => {
      const part = Math.round((100 * steps[number]) / whole);
      return make("li", {}, make("meter", { max: steps[ranked[0]] || 1, value: steps[number] }), make("b", {}, micro(steps[number])), make("span", { class: "faint" }, ` ${part} %  step ${number} `), this.stepLink(number, go));
    };
    const found = [make("ol", { class: "ranked" }, ranked.slice(0, mostRanked).map(row))];
    const rest = ranked.slice(mostRanked);
    if (rest.length) found.push(details(`${rest.length} more`, make("ol", { class: "ranked", start: mostRanked + 1 }, rest.map(row))));
    return make("div", {}, found);
  }

  /** The operators of a step, which lead to the one that its time belongs to. */
  stepLink(number, go) {
    const { nodes, operators, owner } = this.facts.steps[number];
    const text = nodes.map(node => this.graph.nodes[node].title).join(" + ") || operators[0];
    return owner === undefined ? text : make("button", { class: "link", title: this.graph.nodes[owner].name, click: () => go(owner) }, text);
  }

  stepList(go) {
    return make("ol", { start: 0 }, this.facts.steps.map((step, number) => {
      const time = this.times?.steps[number];
      return make("li", {}, this.stepLink(number, go), make("span", { class: "faint" }, ` ${step.kind} ${shapeText(step.shape)}${time === undefined ? "" : ` ${micro(time)}`}`));
    }));
  }

  /** Blocks above what they hold, as wide as their time; what belongs to no operator is to the right. */
  flames(go) {
    const [width, height] = [336, 20];
    const found = drawing(width, "the time of each block, above that of what it holds");
    const whole = sum(this.times.steps) || 1;
    let deepest = 0;
    const add = (id, x, depth) => {
      const time = id === -1 ? whole : this.timeIn(id);
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
    const rest = this.timesByOwner().get(undefined) ?? 0;
    const wide = (rest / whole) * width;
    if (wide > 1.5) bar(found, { x: width - wide, y: height, width: wide, height: height - 1, fill: "#cbd5e1" }, `steps of no operator, such as changes of layout: ${micro(rest)}`);
    xAxis(found, { left: 0, width, top: (deepest + 1 + (wide > 1.5 && !deepest)) * height, most: whole, unit: "µs" });
    return found;
  }

  /** The arena: steps from left to right, addresses from bottom to top. */
  memory(go) {
    const [left, width, height] = [44, 292, 150];
    const { memory, steps } = this.facts;
    const arena = Math.max(...memory.map(([, offset, bytes]) => offset + bytes));
    const found = drawing(left + width, "what lies in the arena at each step");
    const first = Math.min(...memory.map(([, , , begin]) => begin));
    const unit = width / Math.max(1, steps.length - first);
    const byName = new Map(this.graph.nodes.map((node, id) => [node.name, id]));
    memory.forEach(([name, offset, bytes, begin, end], number) => {
      const box = { x: left + (begin - first) * unit, width: Math.max(1, (end - begin + 1) * unit - 0.4), y: height - ((offset + bytes) / arena) * height, height: Math.max(0.7, (bytes / arena) * height - 0.4), fill: numbered(number, "light").line };
      const id = byName.get(name);
      bar(found, box, `${name}: ${bytesText(bytes)} at ${offset}, steps ${begin} to ${end}`, id === undefined ? undefined : () => go(id));
    });
    yAxis(found, { left, height, most: bytesText(arena) });
    xAxis(found, { left, width, top: height, least: first, most: steps.length, unit: "step", whole: true });
    return found;
  }
}

function sum(times) {
  return Object.values(times).reduce((a, b) => a + b, 0);
}

export function micro(time) {
  return time >= 1000 ? `${(time / 1000).toFixed(time < 10000 ? 2 : 1)} ms` : `${time < 10 ? time.toFixed(1) : Math.round(time)} µs`;
}
