// The panel beside the picture: all that is known of what is selected.

import { bar, drawing, small, xAxis, yAxis } from "./charts.js";
import { bytesText, shapeText, short } from "./graph.js";
import { details, make, section, table } from "./elements.js";

/** Fill the panel for a node, a block, or the whole graph (-1). `go(id)` selects something else. */
export function describe(graph, id, go) {
  return id < 0 ? ofBlock(graph, id, go) : ofNode(graph, id, go);
}

function link(graph, id, go, text) {
  const shown = text ?? (id < 0 ? graph.blockTitle(id) : graph.nodes[id].name || "(no name)");
  return make("button", { class: "link", click: () => go(id) }, shown);
}

// Nodes

function ofNode(graph, id, go) {
  const node = graph.nodes[id];
  const kind = node.folded ? "parameter" : node.family;
  return [
    make("h2", {}, node.title ?? node.name, make("span", { class: `family ${node.family}` }, kind)),
    make("p", { class: "name" }, make("code", {}, node.name), ...copyButtons(node.name)),
    ...(graph.extras ?? []).flatMap(extra => extra(id, go)),
    outputs(graph, id, go),
    inputs(graph, id, go),
    parameters(graph, id, go),
    ownArray(graph, id),
    attributes(graph, node),
    origin(graph, node),
    cost(graph, id),
    readers(graph, id, go),
    documentation(graph, node),
  ].filter(Boolean);
}

/** Copy a name, or the address that leads to what is selected. */
function copyButtons(name) {
  const button = (label, title, text) => make("button", { class: "small", title, click: event => copy(text(), event.target) }, label);
  return [button("copy", "Copy the name", () => name), button("link", "Copy the address of this selection", () => location.href)];
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from files may not write to the clipboard: select the text in a field and copy that.
    const field = make("textarea", { style: "position:fixed;opacity:0" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const label = button.textContent;
  if (label === "copied") return;
  button.textContent = "copied";
  setTimeout(() => (button.textContent = label), 1200);
}

function typeText(graph, id, output) {
  return [shapeText(graph.shapeOf(id, output)) || "?", graph.dtypeOf(id, output) ?? ""].join(" ").trim();
}

function outputs(graph, id) {
  const node = graph.nodes[id];
  if (node.family === "output") return null;
  const count = node.visible ?? 1;
  const rows = Array.from({ length: count }, (_, i) => [count > 1 ? `output ${i}` : "output", typeText(graph, id, i)]);
  return section(node.op ? "Outputs" : "Value", table(rows));
}

function inputs(graph, id, go) {
  const node = graph.nodes[id];
  const slots = graph.data.slots[node.slots] ?? [];
  const rows = (node.inputs ?? [])
    .map(([source, output], i) => ({ source, output, slot: slots[i] ?? String(i) }))
    .filter(({ source }) => !graph.nodes[source].folded)
    .map(({ source, output, slot }) => [slot, link(graph, source, go), typeText(graph, source, output)]);
  return rows.length ? section("Inputs", table(rows)) : null;
}

function parameters(graph, id, go) {
  const node = graph.nodes[id];
  const slots = graph.data.slots[node.slots] ?? [];
  const rows = (node.inputs ?? [])
    .map(([source], i) => [source, slots[i] ?? ""])
    .filter(([source]) => graph.nodes[source].folded)
    .flatMap(([source, slot]) => [[slot, link(graph, source, go), typeText(graph, source, 0)], ...summaryRow(graph, source)]);
  return rows.length ? section("Parameters", table(rows)) : null;
}

function summaryRow(graph, source) {
  const facts = graph.data.parameters[source];
  if (!facts || facts.mean === undefined) return [];
  return [["", make("span", { class: "faint" }, `mean ${brief(facts.mean)}, deviation ${brief(facts.deviation)}`), small(histogram(facts, 0, 90, 22), 90, 22)]];
}

const brief = number => (Number.isFinite(number) ? String(Number(number.toPrecision(4))) : String(number));

function ownArray(graph, id) {
  const facts = graph.data.parameters[id];
  if (!facts) return null;
  const rows = [["size", bytesText(facts.bytes)]];
  for (const key of ["least", "most", "mean", "deviation"]) if (facts[key] !== undefined) rows.push([key, brief(facts[key])]);
  if (facts.zeros !== undefined) rows.push(["zeros", `${facts.zeros} of ${facts.looked_at}`]);
  if (facts.not_finite) rows.push(["not finite", make("b", { class: "bad" }, String(facts.not_finite))]);
  if (facts.first) rows.push(["begins", facts.first.map(brief).join(", ")]);
  return section("Numbers", table(rows), histogramWithAxes(facts));
}

/** How many numbers there are between the least and the most. */
function histogram(facts, left, width, height) {
  if (!facts.histogram) return null;
  const most = Math.max(...facts.histogram);
  const wide = width / facts.histogram.length;
  const found = drawing(left + width, `histogram from ${brief(facts.least)} to ${brief(facts.most)}`);
  const at = i => brief(facts.least + ((facts.most - facts.least) * i) / facts.histogram.length);
  facts.histogram.forEach((count, i) => {
    const tall = count ? Math.max(1, (count / most) * height) : 0;
    bar(found, { x: left + i * wide, y: height - tall, width: wide - 1, height: tall, fill: "var(--strong)" }, `${at(i)} to ${at(i + 1)}: ${count} numbers`);
  });
  return found;
}

/** The same with axes: values from left to right, how many numbers have them from bottom to top. */
function histogramWithAxes(facts) {
  const [left, width, height] = [44, 292, 70];
  const found = histogram(facts, left, width, height);
  if (!found) return null;
  yAxis(found, { left, height, most: short(Math.max(...facts.histogram)) });
  xAxis(found, { left, width, top: height, least: facts.least, most: facts.most, unit: "value" });
  return found;
}

function attributes(graph, node) {
  const given = graph.data.attributes[node.attributes] ?? {};
  const defaults = graph.data.operators[node.op]?.defaults ?? {};
  const rows = Object.entries(given).map(([key, text]) => [key === "__init__" ? "initial values" : key, make("code", {}, text)]);
  for (const [key, text] of Object.entries(defaults))
    if (!(key in given)) rows.push([make("span", { class: "faint" }, key), make("code", { class: "faint" }, text)]);
  return rows.length ? section("Attributes", table(rows)) : null;
}

function origin(graph, node) {
  const found = graph.data.locations[node.location];
  if (!found) return null;
  const [file, number, inside] = found;
  const lines = Object.entries(graph.data.sources[file] ?? {}).filter(([n]) => Math.abs(n - number) <= 3);
  const code = lines.map(([n, text]) => make("span", { class: Number(n) === number ? "line here" : "line" }, `${String(n).padStart(4)}  ${text}\n`));
  return section("Where", make("p", {}, make("code", {}, `${file}:${number}`), ` in ${inside}`), code.length ? make("pre", {}, code) : null);
}

function cost(graph, id) {
  const found = graph.nodes[id].cost;
  if (!found) return null;
  const [operations, read, written] = found;
  const rows = [["operations", `${short(operations)} FLOP`], ["read", bytesText(read)], ["written", bytesText(written)]];
  if (operations) rows.push(["per byte", brief(operations / Math.max(1, read + written))]);
  return section("Cost", table(rows));
}

function readers(graph, id, go) {
  const found = [...new Set(graph.readers[id])].filter(r => graph.nodes[r].family !== "output");
  if (!found.length) return null;
  const shown = found.slice(0, 60).map(r => make("li", {}, link(graph, r, go), make("span", { class: "faint" }, ` ${graph.nodes[r].title}`)));
  if (found.length > shown.length) shown.push(make("li", {}, `and ${found.length - shown.length} more`));
  return section("Read by", make("ul", {}, shown));
}

function documentation(graph, node) {
  const text = graph.data.operators[node.op]?.documentation;
  if (!text) return null;
  const [first, ...rest] = text.split("\n\n");
  return section("Documentation", make("p", {}, first), rest.length ? details("all of it", make("pre", { class: "doc" }, rest.join("\n\n"))) : null);
}

// Blocks

function ofBlock(graph, id, go) {
  const isRoot = id === -1;
  const block = graph.block(id);
  return [
    make("h2", {}, isRoot ? graph.data.title : graph.blockTitle(id), make("span", { class: "family" }, isRoot ? "graph" : block.role)),
    isRoot ? null : named(graph, id),
    totals(graph, id),
    ...(isRoot ? graph.overview ?? [] : []).map(part => part(go)),
    families(graph, id),
    block.role === "repeat" ? differences(graph, id, go) : null,
    contents(graph, id, go),
  ].filter(Boolean);
}

/** The prefix of a block, to copy; of other groups the names in it. */
function named(graph, id) {
  const { role, name } = graph.block(id);
  const detail = graph.blockDetail(id);
  if (role === "block" && name) return make("p", { class: "name" }, make("code", {}, name), ...copyButtons(name));
  return detail ? make("p", { class: "name" }, make("code", {}, detail)) : null;
}

function totals(graph, id) {
  const found = graph.total(id);
  const rows = [["operators", String(found.operators)]];
  if (found.numbers) rows.push(["parameters", `${short(found.numbers)} (${bytesText(found.parameterBytes)})`]);
  if (found.operations) rows.push(["operations", `${short(found.operations)} FLOP`]);
  if (found.written) rows.push(["read", bytesText(found.read)], ["written", bytesText(found.written)]);
  if (found.unknown && found.operations) rows.push(["not counted", `${found.unknown} operators, their shapes are not known`]);
  return section("Sums", table(rows));
}

function families(graph, id) {
  const { families: counts } = graph.total(id);
  const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([family, count]) => make("li", { class: `family ${family}` }, `${family} ${count}`));
  return rows.length ? section("Operators", make("ul", { class: "legend" }, rows)) : null;
}

/** In what equal neighbours differ: attributes and shapes of the operators at one position in each. */
function differences(graph, id, go) {
  const units = graph.members(id).map(member => graph.nodesIn(member).filter(n => graph.isOperator(n)));
  const rows = [];
  units[0].forEach((first, index) => {
    const column = units.map(unit => unit[index]);
    for (const [what, texts] of compared(graph, column))
      rows.push([link(graph, first, go, graph.nodes[first].title), what, make("code", {}, runs(texts))]);
  });
  return section("Differences", rows.length ? table(rows.slice(0, 80)) : make("p", { class: "faint" }, "none but in names and numbers"));
}

function* compared(graph, column) {
  const all = column.map(number => graph.data.attributes[graph.nodes[number].attributes] ?? {});
  for (const key of new Set(all.flatMap(Object.keys))) {
    const texts = all.map(a => a[key] ?? "default");
    if (new Set(texts).size > 1) yield [key, texts];
  }
  const shapes = column.map(number => shapeText(graph.shapeOf(number)));
  if (new Set(shapes).size > 1) yield ["output", shapes];
}

/** 64, 64, 128 as "64 (2), 128". */
function runs(texts) {
  const found = [];
  for (const text of texts) {
    if (found.at(-1)?.[0] === text) found.at(-1)[1] += 1;
    else found.push([text, 1]);
  }
  return found.map(([text, count]) => (count > 1 ? `${text} (${count})` : text)).join(", ");
}

function contents(graph, id, go) {
  const members = graph.members(id).slice(0, 100);
  if (!members.length) return null;
  return section("Holds", make("ul", {}, members.map(m => make("li", {}, link(graph, m, go), make("span", { class: "faint" }, m < 0 ? ` ${graph.blockDetail(m)} ${graph.total(m).operators} operators` : ` ${graph.nodes[m].title ?? "input"}`)))));
}
