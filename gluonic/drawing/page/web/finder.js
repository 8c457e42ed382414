// The field to search in, and the list of what was found.

import { make } from "./elements.js";
import { search } from "./search.js";

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
    box.replaceChildren(...found.map(({ id, what, text }) => make("li", { role: "option", click: () => this.pick(id), "data-id": id },
      make("b", {}, id < 0 ? this.page.graph.blockTitle(id) : this.page.graph.nodes[id].title ?? (this.page.graph.nodes[id].folded ? "parameter" : "input")), ` ${id < 0 ? this.page.graph.block(id).name : this.page.graph.nodes[id].name} `,
      what === "name" ? "" : make("span", { class: "faint" }, `${what}: ${text.slice(0, 80)}`))));
    if (!found.length) box.append(make("li", { class: "faint" }, "nothing found"));
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
      this.closeResults();
      find("picture").focus();
    } else return;
    event.stopPropagation();
  }
}
