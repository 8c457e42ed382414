import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, backward, order, ranks } from "../../../gluonic/drawing/page/web/rows.js";

test("what reads stands below what it reads, in the first and last rows only ports", () => {
  const arrows = [[0, 1], [1, 2], [0, 2], [2, 3]];
  const found = ranks(4, arrows, new Set(), new Set([0]), new Set([3]));
  assert.deepEqual(found, [0, 1, 2, 3]);
});

test("what reads nothing stands just above its first reader", () => {
  const found = ranks(4, [[0, 1], [1, 2], [3, 2]], new Set(), new Set(), new Set());
  assert.deepEqual(found, [0, 1, 2, 1]);
});

test("without the arrows that lead backwards there is no circle", () => {
  const arrows = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 1]];
  const back = backward(4, arrows);
  assert.ok(back.size > 0);
  const found = ranks(4, arrows, back, new Set(), new Set());
  arrows.forEach(([a, b], i) => back.has(i) || assert.ok(found[a] < found[b]));
});

test("a graph without circles has no arrow that leads backwards", () => {
  assert.equal(backward(4, [[0, 3], [1, 3], [0, 1], [2, 3]]).size, 0);
});

test("parallel chains do not cross", () => {
  const join = pairs => {
    const map = new Map();
    for (const [a, b] of pairs) map.set(a, [...(map.get(a) ?? []), b]);
    return map;
  };
  const pairs = [[0, 3], [1, 2], [2, 5], [3, 4]];
  const rows = order([[0, 1], [2, 3], [4, 5]], join(pairs.map(([a, b]) => [b, a])), join(pairs));
  const sides = chain => chain.map((item, i) => rows[i].indexOf(item));
  assert.equal(new Set(sides([0, 3, 4])).size, 1);
  assert.equal(new Set(sides([1, 2, 5])).size, 1);
});

test("items stand as close to their wanted positions as they may without overlapping", () => {
  assert.deepEqual(apart([0, 10, 20], [1, 1, 1], [0, 5, 10]), [0, 10, 20]);
  assert.deepEqual(apart([0, 0], [1, 1], [0, 10]), [-5, 5]);
  assert.deepEqual(apart([0, 0], [3, 1], [0, 8]), [-2, 6]);
  const found = apart([5, 1, 3, 2], [1, 2, 1, 1], [0, 4, 8, 12]);
  found.forEach((x, i) => i && assert.ok(x - found[i - 1] >= 4 - 1e-9));
});
