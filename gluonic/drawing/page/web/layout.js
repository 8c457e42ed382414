// Where everything stands. Each open block is laid out for itself and is then one box of the block around it.
//
// Arrows keep clear of boxes by construction: they run straight down in a column of their own beside the boxes
// of a row, and bend only between rows.

import { arrowsByLevel, flowsByStart } from "./edges.js";
import { apart, backward, order, ranks } from "./rows.js";

const padding = 16;
const side = 22;
const gap = 24;
const laneWidth = 9;
const sweeps = 8;
export const headHeight = 26;
const mostLanes = 30000;
/** So many arrows to one end run in one lane, as those from one start do. */
const fewestJoined = 8;

/**
 * Lay out what is visible.
 *
 * @param graph what there is
 * @param open the ids of open blocks
 * @param metrics {sizeOf(id): width and height of a closed box, labelOf(flows, id): width of the label on flows
 *     ("node:output") that leave a box, headOf(id): width of the head of an open block}
 * @returns {width, height, boxes: [{id, x, y, w, h, open, depth}], arrows: [{flows, points, from, to}]}
 */
export function layout(graph, open, metrics) {
  const levels = arrowsByLevel(graph, open);
  const laid = new Map();
  for (const id of innermostFirst(graph, open)) laid.set(id, level(graph, id, levels.get(id), laid, metrics));
  return flat(laid);
}

function innermostFirst(graph, open) {
  const found = [-1];
  for (const id of found) for (const member of graph.members(id)) if (graph.canOpen(member) && open.has(member)) found.push(member);
  return found.reverse();
}

// One level

function level(graph, id, arrows, laid, { sizeOf, labelOf, headOf }) {
  const items = [];
  const index = new Map();
  const isRoot = id === -1;
  const put = item => {
    index.set(item.key, items.length);
    items.push(item);
  };
  for (const member of graph.members(id)) {
    const inner = laid.get(member);
    const size = inner ?? sizeOf(member);
    put({ key: member, id: member, w: size.width, h: size.height, inner, reserve: 0 });
  }
  const local = [...(arrows?.values() ?? [])];
  for (const { from, to } of local) {
    if (from.member === null && !index.has(`in ${from.port}`)) put({ key: `in ${from.port}`, port: from.port, w: 4, h: 0, isIn: true });
    if (to.member === null && !index.has(`out ${to.port}`)) put({ key: `out ${to.port}`, port: to.port, w: 4, h: 0, isOut: true });
  }
  const ends = local.map(({ from, to, flows }) => ({
    from: index.get(from.member === null ? `in ${from.port}` : from.member),
    to: index.get(to.member === null ? `out ${to.port}` : to.member),
    fromPort: from.member === null ? null : from.port,
    toPort: to.member === null ? null : to.port,
    start: `${from.member}/${from.port}`,
    flows,
  }));
  const leaving = flowsByStart(local);
  for (const start of leaving.values()) {
    const item = items[index.get(start.member)];
    start.flows = [...start.flows];
    start.label = labelOf(start.flows, start.member);
    item.reserve = Math.max(item.reserve, start.label + 8 - item.w / 2 - side);
  }
  const pairs = ends.map(end => [end.from, end.to]);
  const back = backward(items.length, pairs);
  const indices = [...items.keys()];
  const first = new Set(indices.filter(i => items[i].isIn));
  const last = new Set(indices.filter(i => items[i].isOut));
  const rank = ranks(items.length, pairs, back, first, last);
  const chains = lanes(items, ends, rank, back);
  const rows = rowsOf(items, rank, chains);
  position(rows, chains, items);
  return finish(id, isRoot ? 0 : headOf(id), items, rows, chains, leaving);
}

/** Where an arrow leaves or enters an item, from its middle. */
function shift(item, port, ports) {
  if (!item.inner || port === null) return 0;
  return item.inner[ports].get(port) - item.w / 2;
}

/** The items that each arrow runs along; long arrows have lanes beside the boxes of the rows they pass. */
function lanes(items, ends, rank, back) {
  const shared = new Map();
  const lane = row => {
    items.push({ w: laneWidth, h: 0, isLane: true });
    rank.push(row);
    return items.length - 1;
  };
  let used = 0;
  const into = new Map();
  for (const { to } of ends) into.set(to, (into.get(to) ?? 0) + 1);
  return ends.map((end, number) => {
    const chain = [{ item: end.from, dx: shift(items[end.from], end.fromPort, "outs") }];
    const isBack = back.has(number);
    const key = into.get(end.to) >= fewestJoined ? `to ${end.to}/${end.toPort}` : `${end.from}/${end.fromPort}`;
    if (isBack) {
      for (let row = rank[end.from]; row >= rank[end.to]; row--) chain.push({ item: lane(row), dx: 0 });
    } else if (used < mostLanes || rank[end.to] - rank[end.from] < 2) {
      if (!shared.has(key)) shared.set(key, new Map());
      const known = shared.get(key);
      for (let row = rank[end.from] + 1; row < rank[end.to]; row++) {
        if (!known.has(row)) {
          known.set(row, lane(row));
          used += 1;
        }
        chain.push({ item: known.get(row), dx: 0 });
      }
    } else end.isFar = true;
    chain.push({ item: end.to, dx: shift(items[end.to], end.toPort, "ins") });
    return { ...end, isBack, chain };
  });
}

function rowsOf(items, rank, chains) {
  const rows = Array.from({ length: rank.reduce((a, b) => Math.max(a, b), -1) + 1 }, () => []);
  items.forEach((item, i) => {
    item.row = rank[i];
    rows[rank[i]].push(i);
  });
  const above = new Map();
  const below = new Map();
  for (const [upper, lower] of joints(chains, items)) {
    append(above, lower.item, upper.item);
    append(below, upper.item, lower.item);
  }
  return order(rows, above, below);
}

/** Neighbouring items of arrows, the upper one first. */
function joints(chains, items) {
  const found = [];
  for (const { chain } of chains)
    for (let i = 1; i < chain.length; i++) {
      const [a, b] = [chain[i - 1], chain[i]];
      if (items[a.item].row < items[b.item].row) found.push([a, b]);
      else if (items[a.item].row > items[b.item].row) found.push([b, a]);
    }
  return found;
}

function append(map, key, value) {
  if (map.has(key)) map.get(key).push(value);
  else map.set(key, [value]);
}

/** Give each item its x: close to its neighbours, boxes below boxes, lanes straight. */
function position(rows, chains, items) {
  const pulls = items.map(() => ({ up: [], down: [] }));
  for (const [upper, lower] of joints(chains, items)) {
    pulls[lower.item].up.push([upper.item, upper.dx - lower.dx]);
    pulls[upper.item].down.push([lower.item, lower.dx - upper.dx]);
  }
  const offsets = rows.map(row => packed(row, items));
  rows.forEach((row, r) => row.forEach((i, at) => (items[i].x = offsets[r][at])));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const down = sweep % 2 === 0;
    for (let n = 0; n < rows.length; n++) {
      const r = down ? n : rows.length - 1 - n;
      const wanted = rows[r].map(i => pulled(items, i, down ? pulls[i].up : pulls[i].down));
      const weights = rows[r].map(i => (items[i].isLane ? 0.3 : 1 + pulls[i].up.length + pulls[i].down.length));
      const found = apart(wanted, weights, offsets[r]);
      rows[r].forEach((i, at) => (items[i].x = found[at]));
    }
  }
  align(items);
}

/** What enters and leaves a block at one port each does so at one x: a chain of such blocks stands upright. */
function align(items) {
  const ins = items.filter(item => item.isIn);
  const outs = items.filter(item => item.isOut);
  if (ins.length === 1 && outs.length === 1) outs[0].x = ins[0].x;
}

function pulled(items, i, neighbours) {
  if (!neighbours.length) return items[i].x;
  let sum = 0;
  let weight = 0;
  for (const [other, dx] of neighbours) {
    const w = items[other].isLane && !items[i].isLane ? 0.15 : 1;
    sum += (items[other].x + dx) * w;
    weight += w;
  }
  return sum / weight;
}

/** A row packed tight, around 0; an item's x is its middle. */
function packed(row, items) {
  const found = [];
  let edge = 0;
  for (const i of row) {
    const { w, isLane, isIn, isOut, reserve } = items[i];
    const around = isLane || isIn || isOut ? laneWidth : side;
    found.push(edge + w / 2);
    edge += w + around + Math.max(0, reserve ?? 0);
  }
  return found.map(x => x - edge / 2);
}

/** Heights, the block's own size and ports, and the arrows' points, from the block's upper left corner. */
function finish(id, title, items, rows, chains, leaving) {
  const isRoot = id === -1;
  const heights = rows.map(row => Math.max(0, ...row.map(i => items[i].h)));
  const gaps = rowGaps(rows, chains, items, leaving);
  const head = isRoot ? padding : headHeight;
  const hasIns = items.some(item => item.isIn);
  const hasOuts = items.some(item => item.isOut);
  const tops = [];
  let y = head + (hasIns || isRoot ? 0 : padding * 0.75);
  rows.forEach((row, r) => {
    tops.push(y);
    y += heights[r] + (r < rows.length - 1 ? gaps[r] : 0);
  });
  if (!hasOuts) y += padding;
  let left = Infinity;
  let right = -Infinity;
  for (const item of items) {
    left = Math.min(left, item.x - item.w / 2);
    right = Math.max(right, item.x + item.w / 2 + Math.max(0, (item.reserve ?? 0) - side / 2));
  }
  if (!items.length) [left, right] = [0, 40];
  const spare = Math.max(0, title - (right - left + 2 * padding)) / 2;
  const origin = left - padding - spare;
  const found = { id, width: right - left + 2 * padding + 2 * spare, height: y, items: [], arrows: [], ins: new Map(), outs: new Map() };
  for (const item of items) {
    item.x -= origin;
    item.rowTop = tops[item.row];
    item.rowBottom = tops[item.row] + heights[item.row];
    item.y = item.isIn ? head : item.rowTop + (heights[item.row] - item.h) / 2;
    if (item.isIn) found.ins.set(item.port, item.x);
    if (item.isOut) found.outs.set(item.port, item.x);
    if (item.id !== undefined) found.items.push({ id: item.id, x: item.x - item.w / 2, y: item.y, w: item.w, h: item.h, inner: item.inner });
  }
  for (const chain of chains) found.arrows.push(way(chain, items, gaps, leaving));
  return found;
}

/** How much room there is below each row: more where arrows run far to the side, or have labels. */
function rowGaps(rows, chains, items, leaving) {
  const isLast = r => r + 1 < rows.length && rows[r + 1].every(i => items[i].isOut);
  const gaps = rows.map((row, r) => (row.every(i => items[i].isIn) ? 16 : isLast(r) ? 14 : gap));
  for (const { chain, start } of chains) {
    const { row } = items[chain[0].item];
    if (leaving.get(start)?.label > 0) gaps[row] = Math.max(gaps[row], isLast(row) ? 22 : 36);
  }
  for (const [upper, lower] of joints(chains, items)) {
    const far = Math.abs(items[upper.item].x + upper.dx - items[lower.item].x - lower.dx);
    const row = items[upper.item].row;
    gaps[row] = Math.max(gaps[row], Math.min(72, far < 1 ? 0 : gap + far / 9));
  }
  return gaps;
}

/** An arrow as a list of points: x, y, and whether the way to it bends. The first one from a box has its label. */
function way({ chain, flows, isBack, isFar, fromPort, start: key }, items, gaps, leaving) {
  const start = items[chain[0].item];
  const stop = items[chain.at(-1).item];
  const all = isFar ? [] : leaving.get(key)?.flows ?? [];
  if (!isFar) leaving.delete(key);
  const facts = { flows, leaving: all, from: start.id ?? null, to: stop.id ?? null, fromPort, isEntering: Boolean(stop.isOut), isLeaving: Boolean(start.isIn), isBack, isFar };
  if (isFar) {
    const x = stop.x + chain.at(-1).dx;
    return { ...facts, points: [{ x, y: stop.y - 12 }, { x, y: stop.y }] };
  }
  const points = [{ x: start.x + chain[0].dx, y: start.y + start.h }];
  const straight = (x, y) => y !== points.at(-1).y && points.push({ x, y });
  const bent = (x, y) => points.push(Math.abs(x - points.at(-1).x) < 0.5 ? { x, y } : { x, y, bend: true });
  straight(points[0].x, start.rowBottom);
  if (isBack) return { ...facts, points: upwards(chain, items, gaps, points) };
  for (const { item } of chain.slice(1, -1)) {
    bent(items[item].x, items[item].rowTop);
    straight(items[item].x, items[item].rowBottom);
  }
  const x = stop.x + chain.at(-1).dx;
  bent(x, stop.rowTop);
  straight(x, stop.y);
  return { ...facts, points };
}

/** The rest of an arrow that leads back up: around below its start, up beside the boxes, around above its end. */
function upwards(chain, items, gaps, points) {
  const [lowest, highest, stop] = [items[chain[1].item], items[chain.at(-2).item], items[chain.at(-1).item]];
  points.push({ x: lowest.x, y: lowest.rowBottom, around: (gaps[lowest.row] ?? gap) * 0.6 });
  for (const { item } of chain.slice(1, -1)) {
    if (Math.abs(items[item].x - points.at(-1).x) > 0.5) points.push({ x: items[item].x, y: items[item].rowBottom, bend: true });
    points.push({ x: items[item].x, y: items[item].rowTop });
  }
  const x = stop.x + chain.at(-1).dx;
  points.push({ x, y: highest.rowTop, around: -(gaps[highest.row - 1] ?? gap) * 0.6 });
  points.push({ x, y: stop.y });
  return points;
}

/** Everything in one list, with positions on the page, outer boxes first. */
function flat(laid) {
  const root = laid.get(-1);
  const boxes = [];
  const arrows = [];
  const waiting = [{ part: root, x: 0, y: 0, depth: 0 }];
  for (const { part, x, y, depth } of waiting) {
    for (const item of part.items) {
      boxes.push({ id: item.id, x: x + item.x, y: y + item.y, w: item.w, h: item.h, open: Boolean(item.inner), depth });
      if (item.inner) waiting.push({ part: item.inner, x: x + item.x, y: y + item.y, depth: depth + 1 });
    }
    for (const arrow of part.arrows) arrows.push({ ...arrow, level: part.id, points: arrow.points.map(p => ({ ...p, x: p.x + x, y: p.y + y })) });
  }
  return { width: root.width, height: root.height, boxes, arrows };
}
