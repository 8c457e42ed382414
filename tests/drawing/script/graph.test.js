import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowsByLevel, visibleAs } from "../../../gluonic/drawing/page/web/edges.js";
import { below, everything, oneLevel, opening } from "../../../gluonic/drawing/page/web/folding.js";
import { bytesText, shapeText, short } from "../../../gluonic/drawing/page/web/graph.js";
import { ticks } from "../../../gluonic/drawing/page/web/charts.js";
import { layout } from "../../../gluonic/drawing/page/web/layout.js";
import { boxesOf, search } from "../../../gluonic/drawing/page/web/search.js";
import { escaped } from "../../../gluonic/drawing/page/web/painters.js";
import { metrics, sample } from "./graph.js";

test("numbers are short", () => {
  assert.deepEqual([999, 1000, 25_557_032, 7.7e9].map(short), ["999", "1.0 k", "25.6 M", "7.7 G"]);
  assert.deepEqual([12, 1536, 2 ** 30].map(bytesText), ["12 bytes", "1.5 KiB", "1.0 GiB"]);
  assert.deepEqual([[2, null], [], null].map(shapeText), ["2×?", "scalar", ""]);
});

test("a block sums up what is in it, parameters once", () => {
  const graph = sample();
  const whole = graph.total(-1);
  assert.equal(whole.operators, 4);
  assert.equal(whole.numbers, 12);
  assert.equal(whole.parameterBytes, 24);
  assert.equal(whole.operations, 54);
  assert.equal(whole.unknown, 1);
  assert.equal(graph.total(-2).operators, 2);
});

test("what is in a closed block is seen as the block", () => {
  const graph = sample();
  assert.equal(visibleAs(graph, new Set([-1]), 4), -2);
  assert.equal(visibleAs(graph, new Set([-1, -2]), 4), 4);
});

test("arrows pass the borders of open blocks through ports", () => {
  const graph = sample();
  const closed = arrowsByLevel(graph, new Set([-1]));
  assert.deepEqual([...closed.keys()], [-1]);
  assert.equal(closed.get(-1).size, 5);
  const open = arrowsByLevel(graph, new Set([-1, -2]));
  const inner = [...open.get(-2).values()].map(({ from, to }) => [from.member, to.member]);
  assert.deepEqual(new Set(inner.map(String)), new Set([[null, 3], [3, 4], [4, null]].map(String)));
});

test("open blocks hold their members, and nothing overlaps", () => {
  const graph = sample();
  const { boxes } = layout(graph, everything(graph), metrics);
  const of = id => boxes.find(box => box.id === id);
  for (const id of [3, 4]) {
    assert.ok(of(id).x >= of(-2).x && of(id).x + of(id).w <= of(-2).x + of(-2).w);
    assert.ok(of(id).y >= of(-2).y + 20 && of(id).y + of(id).h <= of(-2).y + of(-2).h);
  }
  const closed = boxes.filter(box => !box.open);
  for (const a of closed) for (const b of closed) if (a.id < b.id) assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y);
});

test("levels open and close", () => {
  const graph = sample();
  assert.deepEqual(opening(graph), new Set([-1, -2]));
  assert.deepEqual(oneLevel(graph, new Set([-1]), true), new Set([-1, -2]));
  assert.deepEqual(oneLevel(graph, new Set([-1, -2]), false), new Set([-1]));
  assert.deepEqual(below(graph, -2), new Set([-2]));
});

test("search finds names, operators, shapes, attributes, classes and locations", () => {
  const graph = sample();
  const ids = query => search(graph, query).map(found => found.id);
  assert.equal(ids("b")[0], 3);
  assert.deepEqual(new Set(ids("tanh")), new Set([1, 4]));
  assert.deepEqual(new Set(ids("2x4")), new Set([3, 4]));
  assert.deepEqual(ids("num_hidden=4"), [3]);
  assert.deepEqual(ids("model.py:12"), [1]);
  assert.deepEqual(ids("Dense"), [-2]);
  assert.deepEqual(ids("tanh scale"), [1]);
  assert.deepEqual(ids("  "), []);
});

test("search lists operators before blocks, inputs and parameters, and what is called so first", () => {
  const graph = sample();
  const ids = query => search(graph, query).map(found => found.id);
  assert.deepEqual(ids("d"), [5, 3, -2, 6, 0, 1]);
  assert.deepEqual(ids("w_weight"), [2]);
});

test("a hit is seen as the closed block that holds it, a parameter as what reads it", () => {
  const graph = sample();
  const seenAs = id => visibleAs(graph, new Set([-1]), id);
  assert.deepEqual([...boxesOf(graph, search(graph, "w_weight"), seenAs)], [[-2, 1]]);
  assert.deepEqual([...boxesOf(graph, search(graph, "tanh"), seenAs)], [[1, 1], [-2, 1]]);
});

test("an axis has a few round numbers", () => {
  assert.deepEqual(ticks(0, 91), [0, 20, 40, 60, 80]);
  assert.deepEqual(ticks(-0.07, 0.07), [-0.05, 0, 0.05]);
  assert.deepEqual(ticks(6, 9, true), [6, 7, 8, 9]);
  assert.deepEqual(ticks(2, 2), [2]);
});

test("texts in SVG are escaped", () => {
  assert.equal(escaped("<a>&\"'"), "&#60;a&#62;&#38;&#34;&#39;");
});
