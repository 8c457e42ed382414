// Elements of the page. Text from a model only ever becomes text: nothing here reads it as HTML.

/** Make an element: its attributes (functions listen to events), and what it holds. */
export function make(tag, attributes = {}, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") found.addEventListener(name, value);
    else if (value === true) found.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) found.setAttribute(name, value);
  }
  found.append(...children.flat().filter(child => child !== undefined && child !== null));
  return found;
}

/** A table of rows; a cell is a text or an element. */
export function table(rows, attributes = {}) {
  return make("table", attributes, rows.map(([head, ...cells]) => make("tr", {}, make("th", { scope: "row" }, head), cells.map(cell => make("td", {}, cell ?? "")))));
}

export function section(title, ...children) {
  return make("section", {}, make("h3", {}, title), ...children);
}

/** Something to unfold. */
export function details(title, ...children) {
  return make("details", {}, make("summary", {}, title), ...children);
}
