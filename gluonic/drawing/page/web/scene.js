// The picture that is drawn: boxes and arrows at their positions, and how each looks.

import { layout, headHeight } from "./layout.js";
import { frame, line, quietFrame, shortened, stack } from "./boxes.js";

/** The steps of a line through points, which bends between rows. */
export function stepsOf(points) {
  const found = [["M", points[0].x, points[0].y]];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    if (b.around) {
      const deep = a.y + b.around * 1.33;
      found.push(["C", a.x, deep, b.x, deep, b.x, b.y]);
    } else if (b.bend) {
      const middle = (a.y + b.y) / 2;
      found.push(["C", a.x, middle, b.x, middle, b.x, b.y]);
    } else found.push(["L", b.x, b.y]);
  }
  return found;
}

/** What is visible, laid out; made anew whenever a block is opened or closed. */
export class Scene {
  constructor(graph, boxes, open) {
    const { width, height, boxes: placed, arrows } = layout(graph, open, boxes.metrics);
    Object.assign(this, { graph, texts: boxes, width, height, boxes: placed, arrows });
    this.byId = new Map(placed.map(box => [box.id, box]));
    this.branches = new Map();
    for (const { from, fromPort, flows } of arrows)
      if (from !== null && fromPort === null) this.branches.set(from, new Set([...(this.branches.get(from) ?? []), ...flows]));
    for (const arrow of arrows) this.complete(arrow);
    this.arrange();
  }

  complete(arrow) {
    arrow.steps = stepsOf(arrow.points);
    const xs = arrow.points.map(p => p.x);
    const ys = arrow.points.map(p => p.y);
    Object.assign(arrow, { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys) - 40, bottom: Math.max(...ys) + 40 });
    arrow.hasTip = !arrow.isEntering;
    arrow.heft = Math.max(...arrow.flows.map(flow => this.heft(flow))) + Math.log10(arrow.flows.length);
    arrow.labels = [...this.labels(arrow)];
  }

  /** One label where arrows leave a box; where they end, which of several outputs it is. */
  *labels({ from, fromPort, flows, leaving, points, isFar }) {
    const [first, last] = [points[0], points.at(-1)];
    if (isFar) {
      yield { text: `from ${this.nameOf(flows[0])}`, x: first.x, y: first.y - 3, align: "center" };
      return;
    }
    if (from === null) return;
    const text = leaving.length ? this.texts.label(leaving, from) : "";
    const box = this.byId.get(from);
    if (text) yield { text, x: first.x + 6, y: box.y + box.h + 12, align: "left" };
    if (from < 0 || fromPort !== null || flows.length === this.branches.get(from).size) return;
    const which = flows.length === 1 ? `output ${flows[0].split(":")[1]}` : `${flows.length} outputs`;
    yield { text: which, x: last.x + 6, y: last.y - 5, align: "left" };
  }

  nameOf(flow) {
    return shortened(this.graph.nodes[Number(flow.split(":")[0])].name, 24);
  }

  /** How wide an arrow is drawn: by the size of what flows. */
  heft(flow) {
    const [number, output] = flow.split(":").map(Number);
    const shape = this.graph.shapeOf(number, output);
    if (!shape || shape.includes(null)) return 1.3;
    return 1.1 + Math.min(1.4, Math.log10(shape.reduce((a, b) => a * b, 1) + 1) / 5);
  }

  /** Sort boxes and arrows into bands from top to bottom, to find what is in a window quickly. */
  arrange() {
    this.bandHeight = Math.max(200, this.height / 400);
    const count = Math.ceil((this.height + 1) / this.bandHeight) + 1;
    this.bands = Array.from({ length: count }, () => ({ boxes: [], arrows: [] }));
    const band = y => Math.max(0, Math.min(count - 1, Math.floor(y / this.bandHeight)));
    this.boxes.forEach((box, i) => {
      for (let b = band(box.y); b <= band(box.y + box.h); b++) this.bands[b].boxes.push(i);
    });
    this.arrows.forEach((arrow, i) => {
      for (let b = band(arrow.top); b <= band(arrow.bottom); b++) this.bands[b].arrows.push(i);
    });
  }

  /** What lies in a window, in the order in which it is drawn. */
  within(left, top, right, bottom) {
    const first = Math.max(0, Math.floor(top / this.bandHeight));
    const last = Math.min(this.bands.length - 1, Math.floor(bottom / this.bandHeight));
    if (first === 0 && last === this.bands.length - 1) return this;
    const boxes = new Set();
    const arrows = new Set();
    for (let b = first; b <= last; b++) {
      for (const i of this.bands[b].boxes) boxes.add(i);
      for (const i of this.bands[b].arrows) arrows.add(i);
    }
    const ordered = set => [...set].sort((a, b) => a - b);
    return {
      boxes: ordered(boxes).map(i => this.boxes[i]).filter(b => b.x <= right && b.x + b.w >= left),
      arrows: ordered(arrows).map(i => this.arrows[i]).filter(a => a.left <= right + 200 && a.right >= left - 200),
    };
  }

  /** The innermost thing at a point. */
  at(x, y) {
    const found = this.within(x, y, x, y).boxes.filter(b => b.x <= x && x <= b.x + b.w && b.y <= y && y <= b.y + b.h);
    return found.at(-1);
  }
}

/** Whether a point is on the sign that opens or closes a box. */
export function onHandle(box, x, y) {
  const middle = box.open ? box.y + headHeight / 2 : box.y + 13;
  return Math.abs(x - (box.x + box.w - 15)) < 14 && Math.abs(y - middle) < 11;
}

// Drawing

/**
 * Draw a scene, or what is in a window of it.
 *
 * @param painter a CanvasPainter or an SvgPainter
 * @param what {boxes, arrows}
 * @param look {ground, colourOf(id), selected, near: set of flows, hits: how many by box, texts}
 */
export function paint(painter, what, look) {
  for (const box of what.boxes) if (box.open) paintOpen(painter, box, look);
  for (const arrow of what.arrows) paintArrow(painter, arrow, look);
  for (const box of what.boxes) if (!box.open) paintClosed(painter, box, look);
  for (const box of what.boxes) paintHit(painter, box, look);
  for (const arrow of what.arrows) for (const label of arrow.labels) paintLabel(painter, label, look);
}

/** A ring around what a search found, and how often that is in a closed block. */
function paintHit(painter, box, look) {
  const count = look.hits?.get(box.id);
  if (!count) return;
  painter.rect(box.x - 4, box.y - 4, box.w + 8, box.h + 8, 10, { line: look.ground.hit, width: 3 });
  if (box.id < 0 && !box.open) painter.text(`${count} hit${count === 1 ? "" : "s"}`, box.x + box.w + 8, box.y + 13, { size: 11, bold: true, colour: look.ground.hit, align: "left", halo: look.ground.page });
}

function paintOpen(painter, box, look) {
  const { ground, selected, texts } = look;
  const marked = look.mark?.(box.id);
  const line = box.id === selected ? ground.strong : marked?.line ?? ground.rim;
  painter.rect(box.x, box.y, box.w, box.h, 10, { fill: ground.group[box.depth % 2], line, width: box.id === selected || marked ? 2 : 1 });
  const [title, detail] = texts.headTexts(box.id);
  painter.text(title, box.x + 12, box.y + 17, { size: 11.5, bold: true, colour: ground.ink, align: "left" });
  if (detail) painter.text(detail, box.x + 20 + texts.measure(title, 11.5, true), box.y + 17, { size: 11, colour: ground.faint, align: "left" });
  sign(painter, box, box.y + headHeight / 2, "−", ground.faint);
}

function sign(painter, box, y, text, colour) {
  painter.rect(box.x + box.w - 22, y - 7, 14, 14, 4, { line: colour, width: 1 });
  painter.text(text, box.x + box.w - 15, y + 4.2, { size: 12, bold: true, colour });
}

function paintClosed(painter, whole, look) {
  const { graph } = look.texts;
  const behind = look.texts.isRepeat(whole.id) ? stack : 0;
  const box = { ...whole, w: whole.w - behind, h: whole.h - behind };
  const colours = look.colourOf(box.id);
  const node = box.id >= 0 ? graph.nodes[box.id] : null;
  const isSelected = box.id === look.selected;
  const marked = look.mark?.(box.id);
  const line = isSelected ? look.ground.strong : marked?.line ?? colours.line;
  const style = { fill: colours.fill, line, width: isSelected || marked ? 2.4 : 1.2, dashed: node?.family === "unknown" };
  const isRound = node && !graph.isOperator(box.id);
  const radius = isRound ? box.h / 2 : 7;
  if (behind)
    for (const d of [stack, stack / 2]) painter.rect(box.x + d, box.y + d, box.w, box.h, radius, { ...style, width: 1, line: colours.line });
  painter.rect(box.x, box.y, box.w, box.h, radius, style);
  const handle = graph.canOpen(box.id) ? 30 : 0;
  const middle = box.x + (box.w - handle) / 2 + (handle ? 2 : 0);
  const head = 11.5 + (look.texts.isQuiet(box.id) ? quietFrame : frame) / 2;
  look.texts.lines(box.id).forEach(([text, size, bold], i) => {
    painter.text(text, middle, box.y + head + i * line_, { size, bold, colour: bold ? colours.text : colours.faint ?? colours.text });
  });
  if (handle) sign(painter, box, box.y + 13, "+", colours.text);
  if (box.id < 0) strip(painter, box, look);
}

const line_ = line;

/** A closed block shows of what families its operators are. */
function strip(painter, box, look) {
  const { families, operators } = look.texts.graph.total(box.id);
  if (!operators) return;
  let x = box.x + 11;
  const whole = box.w - 22;
  for (const [family, count] of [...families].sort((a, b) => b[1] - a[1])) {
    const width = (whole * count) / operators;
    painter.rect(x, box.y + box.h - 10, Math.max(0.5, width - 1), 3.5, 1, { fill: look.families[family].line });
    x += width;
  }
}

function paintArrow(painter, arrow, look) {
  const isNear = look.near && arrow.flows.some(flow => look.near.has(flow));
  const colour = isNear ? look.ground.strong : look.ground.edge;
  painter.line(arrow.steps, { colour, width: isNear ? arrow.heft + 0.9 : arrow.heft });
  if (!arrow.hasTip) return;
  const { x, y } = arrow.points.at(-1);
  painter.shape([[x, y], [x - 3.6, y - 7], [x + 3.6, y - 7]], colour);
}

function paintLabel(painter, label, look) {
  painter.text(label.text, label.x, label.y, { size: 10, colour: look.ground.label, align: label.align, halo: look.ground.page });
}
