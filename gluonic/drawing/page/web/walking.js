// Walking from box to box by keys.

/** The box that an arrow key goes to: the closest in that direction, joined boxes before others. */
export function nextBox(scene, from, key) {
  const [dx, dy] = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
  const joined = new Set(scene.arrows.flatMap(a => (a.from === from.id ? [a.to] : a.to === from.id ? [a.from] : [])));
  const contains = (a, b) => a.x <= b.x && a.y <= b.y && a.x + a.w >= b.x + b.w && a.y + a.h >= b.y + b.h;
  let best;
  for (const box of scene.boxes) {
    if (box === from || (contains(box, from) && key !== "ArrowUp")) continue;
    const [ax, ay] = [box.x + box.w / 2 - from.x - from.w / 2, contains(box, from) ? -1 : contains(from, box) ? 1 + box.y - from.y : box.y - from.y];
    const [along, across] = dx ? [ax * dx, Math.abs(ay)] : [ay * dy, Math.abs(ax)];
    if (along <= 0) continue;
    const isNear = contains(from, box) ? -10000 : joined.has(box.id) ? -5000 : 0;
    const distance = along + across * 2 + isNear;
    if (!best || distance < best.distance) best = { box, distance };
  }
  return best?.box;
}
