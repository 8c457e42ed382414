// Charts in the panel: bars that say what they are, and axes with units.

const names = "http://www.w3.org/2000/svg";

function add(parent, tag, attributes, text) {
  const found = document.createElementNS(names, tag);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
  if (text !== undefined) found.textContent = text;
  parent.append(found);
  return found;
}

/** A chart; its axis for x, which is below all else, sets its height. */
export function drawing(width, label) {
  const found = document.createElementNS(names, "svg");
  for (const [key, value] of Object.entries({ role: "img", "aria-label": label, class: "chart", width: "100%", "data-width": width })) found.setAttribute(key, value);
  return found;
}

/** A bar; where it is wide enough it has a text. */
export function bar(parent, { fill, ...place }, title, click, text = "") {
  const group = add(parent, "g", {});
  add(group, "title", {}, title);
  add(group, "rect", place).style.fill = fill;
  if (text) add(group, "text", { x: place.x + 4, y: place.y + place.height - 5, class: "inside" }, text.slice(0, Math.floor((place.width - 6) / 6)));
  if (!click) return;
  group.addEventListener("click", click);
  group.style.cursor = "pointer";
}

/** Round numbers between two, about five of them. */
export function ticks(least, most, whole = false) {
  const rough = (most - least) / 5;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = Math.max(whole ? 1 : 0, [1, 2, 5, 10].find(part => part * power >= rough * 0.75) * power);
  const found = [];
  for (let i = Math.ceil(least / step); i * step <= most * 1.0001; i++) found.push(Number((i * step).toPrecision(6)));
  return found;
}

/** The axis below a chart, from `least` to `most`, whose last tick has the unit. */
export function xAxis(parent, { left, width, top, least = 0, most, unit, whole = false }) {
  add(parent, "path", { d: `M${left} ${top}h${width}`, class: "axis" });
  add(parent, "text", { x: left + width, y: top + 26, "text-anchor": "end" }, unit);
  for (const tick of ticks(least, most, whole)) {
    const x = left + ((tick - least) / (most - least || 1)) * width;
    add(parent, "path", { d: `M${x} ${top}v3`, class: "axis" });
    const anchor = x > left + width - 12 ? "end" : x < left + 12 ? "start" : "middle";
    add(parent, "text", { x, y: top + 13, "text-anchor": anchor }, String(tick));
  }
  parent.setAttribute("viewBox", `0 0 ${parent.dataset.width} ${top + 29}`);
}

/** The axis on the left of a chart, from 0 to `most`, a text. */
export function yAxis(parent, { left, height, most }) {
  add(parent, "path", { d: `M${left} 0v${height}`, class: "axis" });
  add(parent, "text", { x: left - 4, y: 9, "text-anchor": "end" }, most);
  add(parent, "text", { x: left - 4, y: height, "text-anchor": "end" }, "0");
}

/** A chart without axes, for a row of a table. */
export function small(chart, width, height) {
  chart?.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart?.setAttribute("width", width);
  return chart;
}
