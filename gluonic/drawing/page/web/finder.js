// The field to search in, and the list of what was found.

import { make } from "./elements.js";
import { search } from "./search.js";

const mostListed = 300;
const find = id => document.getElementById(id);

export class Finder {
  constructor(page) {
    this.page = page;
    const field = find("search");
    field.addEventListener("input", () => this.find(field.value));
    field.addEventListener("keydown", event => this.searchKey(event));
    field.addEventListener("focus", () => field.value && this.find(field.value));
    document.addEventListener("pointerdown", event => event.target.closest("#searching") || this.closeResults());
  }

  find(query) {
    const found = search(this.page.graph, query);
    const box = find("results");
    box.hidden = !query.trim();
    find("search").setAttribute("aria-expanded", String(!box.hidden));
    box.replaceChildren(this.countOf(found), ...found.slice(0, mostListed).map(hit => this.entry(hit)));
    this.page.highlight(found);
  }

  countOf(found) {
    const count = found.length === 1 ? "1 hit" : found.length ? `${found.length} hits` : "nothing found";
    const only = found.length > mostListed ? `; the first ${mostListed}` : "";
    return make("li", { class: "count faint", role: "presentation", "aria-live": "polite" }, count + only);
  }

  entry({ id, what, text }) {
    const { graph } = this.page;
    const node = graph.nodes[id];
    const [title, name] = id < 0 ? [graph.blockTitle(id), graph.blockDetail(id)] : [node.title ?? (node.folded ? "parameter" : "input"), node.name];
    const why = ["name", "operator", "block"].includes(what) ? "" : make("span", { class: "faint" }, `${what}: ${text.slice(0, 80)}`);
    return make("li", { role: "option", click: () => this.pick(id), "data-id": id }, make("b", {}, title), ` ${name} `, why);
  }

  pick(id) {
    this.closeResults();
    this.page.goto(id);
    find("picture").focus();
  }

  closeResults() {
    find("results").hidden = true;
    find("search").setAttribute("aria-expanded", "false");
  }

  searchKey(event) {
    const options = [...find("results").querySelectorAll("[data-id]")];
    const at = options.findIndex(option => option.getAttribute("aria-selected") === "true");
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move && options.length) {
      event.preventDefault();
      options[at]?.removeAttribute("aria-selected");
      const next = options[(at + move + options.length) % options.length];
      next.setAttribute("aria-selected", "true");
      next.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && options.length) this.pick(Number(options[Math.max(0, at)].dataset.id));
    else if (event.key === "Escape") {
      event.preventDefault(); // some browsers empty the field without telling
      event.target.value = "";
      this.find("");
      find("picture").focus();
    } else return;
    event.stopPropagation();
  }
}
