// Boxes in rows, inputs above what reads them; rows ordered so that few arrows cross. Linear in boxes and arrows.

const sweeps = 6;

/** Which of the arrows (pairs of indices) lead backwards: those that close a circle when the graph is walked. */
export function backward(count, arrows) {
  const outgoing = Array.from({ length: count }, () => []);
  const incoming = new Array(count).fill(0);
  arrows.forEach(([from, to], number) => {
    outgoing[from].push([to, number]);
    incoming[to] += 1;
  });
  const state = new Uint8Array(count);
  const back = new Set();
  const starts = [...Array(count).keys()].sort((a, b) => (incoming[a] ? 1 : 0) - (incoming[b] ? 1 : 0) || a - b);
  for (const start of starts) {
    if (state[start]) continue;
    const stack = [[start, 0]];
    state[start] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const next = outgoing[top[0]][top[1]++];
      if (!next) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[next[0]] === 1) back.add(next[1]);
      else if (state[next[0]] === 0) {
        state[next[0]] = 1;
        stack.push([next[0], 0]);
      }
    }
  }
  return back;
}

/**
 * The row of each box: below all that it reads; what reads nothing stands just above its first reader.
 *
 * `first` boxes are alone in the first row, `last` ones in the last.
 */
export function ranks(count, arrows, back, first, last) {
  const outgoing = Array.from({ length: count }, () => []);
  const missing = new Array(count).fill(0);
  const reads = new Array(count).fill(false);
  arrows.forEach(([from, to], number) => {
    if (back.has(number)) return;
    outgoing[from].push(to);
    missing[to] += 1;
    reads[to] = true;
  });
  const rank = new Array(count).fill(first.size ? 1 : 0);
  for (const item of first) rank[item] = 0;
  const ready = [...Array(count).keys()].filter(item => !missing[item]);
  for (const item of ready)
    for (const to of outgoing[item]) {
      rank[to] = Math.max(rank[to], rank[item] + 1);
      if (--missing[to] === 0) ready.push(to);
    }
  for (let item = 0; item < count; item++)
    if (!reads[item] && outgoing[item].length && !first.has(item))
      rank[item] = Math.max(rank[item], Math.min(...outgoing[item].map(to => rank[to])) - 1);
  const end = rank.reduce((most, row, item) => (last.has(item) ? most : Math.max(most, row)), 0) + 1;
  for (const item of last) rank[item] = end;
  return rank;
}

/** Order the rows; `above[item]` and `below[item]` are the items that it is joined with. */
export function order(rows, above, below) {
  const position = new Map();
  const settle = row => row.forEach((item, i) => position.set(item, i - (row.length - 1) / 2));
  rows.forEach(settle);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const down = sweep % 2 === 0;
    const neighbours = down ? above : below;
    for (const row of down ? rows : [...rows].reverse()) {
      if (row.length < 2) continue;
      const wanted = new Map(row.map(item => [item, mean(neighbours.get(item), position) ?? position.get(item)]));
      row.sort((a, b) => wanted.get(a) - wanted.get(b));
      settle(row);
    }
  }
  return rows;
}

function mean(items, position) {
  if (!items?.length) return undefined;
  let sum = 0;
  for (const item of items) sum += position.get(item);
  return sum / items.length;
}

/**
 * The positions closest to those wanted at which the items of a row do not overlap, keeping their order.
 *
 * Least squares under `x[i + 1] - x[i] >= offsets[i + 1] - offsets[i]`, which is isotonic regression.
 */
export function apart(wanted, weights, offsets) {
  const blocks = [];
  wanted.forEach((position, i) => {
    let block = { sum: (position - offsets[i]) * weights[i], weight: weights[i], count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight > block.sum / block.weight) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, weight: before.weight + block.weight, count: before.count + block.count };
    }
    blocks.push(block);
  });
  const found = [];
  for (const { sum, weight, count } of blocks)
    for (let i = 0; i < count; i++) found.push(sum / weight + offsets[found.length]);
  return found;
}
