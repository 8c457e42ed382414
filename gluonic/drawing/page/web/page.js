// The page: what is selected, what is open, and what buttons and keys do.

import { Boxes, font } from "./boxes.js";
import { Compiled } from "./compiled.js";
import { familyColours, grounds } from "./colours.js";
import { visibleAs } from "./edges.js";
import { make } from "./elements.js";
import { Finder } from "./finder.js";
import { below, everything, oneLevel, opening } from "./folding.js";
import { Graph } from "./graph.js";
import { list } from "./list.js";
import { Marked } from "./marks.js";
import { Minimap } from "./minimap.js";
import { inflated } from "./packing.js";
import { describe } from "./panel.js";
import { boxesOf } from "./search.js";
import { download, pngCanvas, svgText } from "./save.js";
import { Scene } from "./scene.js";
import { View } from "./view.js";
import { nextBox } from "./walking.js";

const find = id => document.getElementById(id);

export class Page {
  constructor(data) {
    this.whole = data;
    this.theme = this.stored("theme");
    this.take(data);
    this.view = new View(find("picture"), {
      select: id => this.select(id),
      toggle: id => this.toggle(id),
      hover: id => this.hover(id),
      canOpen: id => this.graph.canOpen(id),
      look: () => this.look(),
      moved: () => this.minimap?.moved(),
    });
    this.minimap = new Minimap(find("minimap"), this.view, () => this.look());
    const { hash } = location;
    this.bind();
    this.begin();
    this.followLink(hash);
  }

  /** Take a graph: the one that the page is of, or what a pass made of it. */
  take(data) {
    this.graph = new Graph({ ...data, families: this.whole.families });
    const context = document.createElement("canvas").getContext("2d");
    this.boxes = new Boxes(this.graph, (text, size, bold) => {
      context.font = `${bold ? "600 " : ""}${size}px ${font}`;
      return context.measureText(text).width;
    });
    this.open = opening(this.graph);
    this.colouring = this.first = undefined;
    find("tools").replaceChildren();
    find("list").replaceChildren();
    if (data.compiled) this.showCompiled(data.compiled);
    if (data.marks) this.showMarks(data.marks);
  }

  /** Show the graph that was taken. */
  begin() {
    this.selected = this.near = this.view.scene = undefined;
    this.hits = [];
    this.applyTheme();
    this.relayout();
    this.view.resize();
    this.view.begin();
    this.select(undefined);
    if (this.first !== undefined) this.goto(this.first);
  }

  /** Walk to the graph after a pass; undefined: back to the one that the page is of. */
  async showPass(number) {
    const passes = this.whole.compiled.passes;
    this.take(number === undefined ? this.whole : await inflated(passes[number].graph));
    if (number !== undefined) this.offerPasses(passes, number);
    this.begin();
  }

  /** Say which pass this is the graph after, and lead to those before and after it. */
  offerPasses(passes, number) {
    const drawn = passes.map((pass, at) => (pass.graph ? at : -1)).filter(at => at >= 0);
    const at = drawn.indexOf(number);
    const step = (text, to) => make("button", { click: () => this.showPass(to), disabled: to === undefined && text !== "traced graph" }, text);
    find("tools").prepend(make("span", { class: "group" }, step("traced graph"), step("‹ pass", drawn[at - 1]), step("pass ›", drawn[at + 1])));
    const { name, contract, summary } = passes[number];
    this.graph.overview.unshift(() => make("div", {}, make("p", {}, make("b", {}, `pass ${number + 1}: ${name}`), ` (${summary})`), make("p", {}, contract)));
  }

  // How it looks

  get ground() {
    const dark = this.theme ? this.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    return dark ? "dark" : "light";
  }

  applyTheme() {
    document.documentElement.dataset.ground = this.ground;
    this.families = familyColours(this.graph.data.families, this.ground);
    for (const [family, { fill, line, text }] of Object.entries(this.families))
      for (const [kind, colour] of Object.entries({ fill, line, text })) document.documentElement.style.setProperty(`--${family}-${kind}`, colour);
    const { box, page, rim, ink, faint } = grounds[this.ground];
    this.blockColours = { fill: box, line: rim, text: ink, faint };
    this.quietColours = { fill: page, line: rim, text: faint };
    this.legend();
    this.minimap && this.view.scene && this.minimap.changed();
    this.view?.draw();
  }

  legend() {
    const present = [...this.graph.total(-1).families.keys()].sort();
    const shown = this.colouring?.legend?.(this.ground) ?? present.map(family => make("li", { class: `family ${family}` }, family));
    find("legend").replaceChildren(...shown);
  }

  look() {
    const colouring = this.colouring;
    return {
      ground: grounds[this.ground],
      families: this.families,
      texts: this.boxes,
      selected: this.selected === undefined ? undefined : visibleAs(this.graph, this.open, this.selected),
      near: this.near,
      colourOf: id => colouring?.colourOf(id, this.ground) ?? this.ownColours(id),
      mark: colouring?.mark,
      hits: this.hitBoxes,
    };
  }

  ownColours(id) {
    if (id < 0) return this.blockColours;
    return this.boxes.isQuiet(id) ? this.quietColours : this.families[this.graph.nodes[id].family];
  }

  stored(key) {
    try {
      return localStorage.getItem(`gluonic-${key}`) ?? undefined;
    } catch {
      return undefined; // pages from files may have no storage
    }
  }

  store(key, value) {
    try {
      localStorage.setItem(`gluonic-${key}`, value);
    } catch {
      // it then holds for this page only
    }
  }

  /** Offer the compiler's view: steps in the panel, and colours by step and by time. */
  showCompiled(facts) {
    const compiled = new Compiled(this.graph, facts);
    compiled.showPass = number => this.showPass(number);
    this.graph.extras = [(id, go) => compiled.ofNode(id, go)];
    this.graph.overview = [go => compiled.overview(go)];
    const ways = { families: () => undefined, steps: () => compiled.bySteps() };
    if (facts.times) Object.assign(ways, { "time, compiled": () => compiled.byTime("compiled"), "time, eager": () => compiled.byTime("eager") });
    this.offerColours(ways);
  }

  /** Show what is marked: a difference, or where an error happened. */
  showMarks(marks) {
    const marked = new Marked(this.graph, marks);
    this.graph.extras = [id => marked.ofNode(id)];
    this.graph.overview = [go => marked.overview(go)];
    this.colouring = marked.colouring();
    this.offerColours({ marks: () => marked.colouring(), families: () => undefined });
    this.first = [...marked.kinds].find(([, kind]) => kind === "failed")?.[0];
  }

  offerColours(ways) {
    const choice = make("select", { "aria-label": "Colours", change: () => this.recolour(ways[choice.value]()) }, Object.keys(ways).map(way => make("option", { value: way }, `colours: ${way}`)));
    find("tools").append(choice);
  }

  recolour(colouring) {
    this.colouring = colouring;
    this.applyTheme();
  }

  // Opening and closing

  relayout() {
    this.scene = new Scene(this.graph, this.boxes, this.open);
    this.highlight(this.hits);
    this.view.show(this.scene);
    this.minimap.changed();
  }

  /** Open or close a block; what was clicked stays where it is on the screen. */
  toggle(id) {
    const before = this.scene.byId.get(id);
    if (this.open.has(id)) for (const inner of below(this.graph, id)) this.open.delete(inner);
    else this.open.add(id);
    this.relayout();
    const after = this.scene.byId.get(id);
    if (before && after) this.view.pan((before.x + before.w / 2 - after.x - after.w / 2) * this.view.scale, (before.y - after.y) * this.view.scale);
    this.select(id, { keep: true });
    if (this.open.has(id) && after.h * this.view.scale > this.view.height) this.view.keepVisible(id);
  }

  setOpen(open) {
    this.open = open;
    this.relayout();
    this.view.begin();
  }

  // Selecting

  select(id, { reveal = false, keep = false } = {}) {
    this.selected = id;
    this.updateNear(id);
    const panel = find("facts");
    panel.replaceChildren(...describe(this.graph, id ?? -1, other => this.goto(other)));
    panel.scrollTop = 0;
    this.breadcrumbs(id);
    this.say(id);
    this.remember(id);
    if (reveal) this.view.reveal(visibleAs(this.graph, this.open, id));
    else if (keep && id !== undefined) this.view.draw();
    this.view.draw();
  }

  /** Select something, open what hides it, and show it. */
  goto(id) {
    const shown = this.graph.nodes[id]?.folded ? this.graph.readers[id][0] ?? id : id;
    const hidden = this.graph.around(shown).filter(block => !this.open.has(block));
    if (hidden.length) {
      for (const block of hidden) this.open.add(block);
      this.relayout();
    }
    this.select(id);
    this.view.reveal(visibleAs(this.graph, this.open, shown));
  }

  updateNear(id) {
    if (id === undefined) this.near = undefined;
    else {
      const inside = new Set(this.graph.nodesIn(id));
      const flows = new Set();
      for (const number of inside) {
        for (const [source, output] of this.graph.nodes[number].inputs ?? []) if (id >= 0 || !inside.has(source)) flows.add(`${source}:${output}`);
        if (this.graph.readers[number].some(reader => id >= 0 || !inside.has(reader)))
          for (let i = 0; i < (this.graph.nodes[number].visible ?? 1); i++) flows.add(`${number}:${i}`);
      }
      this.near = flows;
    }
  }

  hover(id) {
    if (id === this.hovered) return;
    this.hovered = id;
    find("picture").title = id === undefined ? "" : this.boxes.tooltip(id);
    this.updateNear(id ?? this.selected);
    this.view.draw();
  }

  /** Mark the boxes of what a search found. */
  highlight(hits) {
    this.hits = hits;
    this.hitBoxes = boxesOf(this.graph, hits, id => visibleAs(this.graph, this.open, id));
    this.view.draw();
  }

  titleOf(id) {
    return id < 0 ? this.graph.blockTitle(id) : this.graph.nodes[id].name;
  }

  breadcrumbs(id) {
    const crumbs = [-1, ...(id === undefined || id === -1 ? [] : [...this.graph.around(id), id])];
    find("crumbs").replaceChildren(...crumbs.map(at => make("li", {}, make("button", { class: "link", click: () => (at === -1 ? this.select(undefined) : this.goto(at)) }, at === -1 ? this.graph.data.title : this.titleOf(at)))));
  }

  say(id) {
    find("said").textContent = id === undefined ? "" : `${id < 0 ? "block" : this.graph.nodes[id].title ?? "input"} ${this.titleOf(id)}`;
  }

  linkOf(id) {
    return id < 0 ? `block=${-1 - id}` : `node=${id}`;
  }

  /** Let the address lead to what is selected. */
  remember(id) {
    try {
      history.replaceState(null, "", id === undefined ? location.href.split("#")[0] : `#${this.linkOf(id)}`);
    } catch {
      // a page inside of a notebook has no address of its own
    }
  }

  followLink(hash) {
    const [, what, number] = /^#(node|block)=(\d+)$/.exec(hash) ?? [];
    if (!what) return;
    const id = what === "node" ? Number(number) : -1 - Number(number);
    if (this.graph.parents.has(id) || this.graph.nodes[id]) this.goto(id);
  }

  // Buttons, search, keys

  bind() {
    const actions = {
      fit: () => this.view.fit(),
      larger: () => this.view.zoom(1.3),
      smaller: () => this.view.zoom(1 / 1.3),
      unfold: () => this.setOpen(everything(this.graph)),
      fold: () => this.setOpen(new Set([-1])),
      more: () => this.setOpen(oneLevel(this.graph, this.open, true)),
      less: () => this.setOpen(oneLevel(this.graph, this.open, false)),
      theme: () => this.changeTheme(),
      list: () => this.showList(),
      svg: () => download(`${this.graph.data.title}.svg`, new Blob([this.svg()], { type: "image/svg+xml" })),
      png: () => pngCanvas(this.scene, this.quietLook()).toBlob(blob => download(`${this.graph.data.title}.png`, blob)),
      panel: () => document.body.classList.toggle("alone"),
    };
    this.actions = actions;
    for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => actions[button.dataset.do]());
    this.finder = new Finder(this);
    document.addEventListener("keydown", event => this.key(event));
    addEventListener("hashchange", () => this.followLink(location.hash));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.applyTheme());
  }

  changeTheme() {
    this.theme = this.ground === "dark" ? "light" : "dark";
    this.store("theme", this.theme);
    this.applyTheme();
  }

  quietLook() {
    return { ...this.look(), near: undefined, selected: undefined, hits: undefined };
  }

  svg() {
    return svgText(this.scene, this.quietLook());
  }

  showList() {
    const isList = document.body.classList.toggle("listed");
    const root = find("list");
    if (isList && !root.childElementCount) list(this.graph, root, id => this.select(id));
    document.querySelector('[data-do="list"]').setAttribute("aria-pressed", String(isList));
    (isList ? root.querySelector("button, summary") : find("picture"))?.focus();
    if (!isList) this.view.resize();
  }

  key(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      find("search").focus();
      return;
    }
    const simple = { f: "fit", "+": "larger", "=": "larger", "-": "smaller", u: "unfold", c: "fold", d: "theme", l: "list", p: "panel", "]": "more", "[": "less" }[event.key];
    if (simple) return void this.actions[simple]();
    if (event.key === "?") return void find("help").togglePopover?.();
    if (document.activeElement !== find("picture")) return;
    this.pictureKey(event);
  }

  /** Keys on the picture: arrows walk along what is read, Enter opens, Escape leaves. */
  pictureKey(event) {
    const step = { ArrowUp: [0, 80], ArrowDown: [0, -80], ArrowLeft: [80, 0], ArrowRight: [-80, 0] }[event.key];
    if (step) {
      event.preventDefault();
      if (event.shiftKey) this.view.pan(...step);
      else this.walk(event.key);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.selected !== undefined && this.graph.canOpen(this.selected)) this.toggle(this.selected);
    } else if (event.key === "s" && this.selected !== undefined) this.view.reveal(visibleAs(this.graph, this.open, this.selected));
    else if (event.key === "Escape") this.leave();
  }

  /** Out of a thing into the block around it, and out of that at last. */
  leave() {
    const around = this.selected === undefined ? [] : this.graph.around(this.selected);
    this.select(around.at(-1));
    if (this.selected !== undefined) this.view.keepVisible(this.selected);
  }

  walk(key) {
    const at = this.selected === undefined ? undefined : this.scene.byId.get(visibleAs(this.graph, this.open, this.selected));
    const next = at ? nextBox(this.scene, at, key) : this.scene.boxes[0];
    if (!next) return;
    this.select(next.id);
    this.view.keepVisible(next.id);
  }
}
