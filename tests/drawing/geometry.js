// What must not be in a picture: boxes over boxes, arrows through boxes or titles. Evaluated in the page.
scene => {
  const inside = (p, b) => p.x > b.x + 1 && p.x < b.x + b.w - 1 && p.y > b.y + 1 && p.y < b.y + b.h - 1;
  const found = [];
  const closed = scene.boxes.filter(b => !b.open);
  const heads = scene.boxes.filter(b => b.open).map(b => ({ id: `head ${b.id}`, x: b.x, y: b.y, w: b.w, h: 20 }));
  const rows = new Map();
  const band = y => Math.floor(y / 200);
  for (const b of [...closed, ...heads]) for (let r = band(b.y); r <= band(b.y + b.h); r++) rows.set(r, [...(rows.get(r) ?? []), b]);
  for (const all of rows.values())
    for (let i = 0; i < all.length; i++)
      for (let j = i + 1; j < all.length; j++) {
        const [a, b] = [all[i], all[j]];
        if (a.x + a.w > b.x + 0.5 && b.x + b.w > a.x + 0.5 && a.y + a.h > b.y + 0.5 && b.y + b.h > a.y + 0.5) found.push(`boxes ${a.id} and ${b.id} overlap`);
      }
  const at = (from, step, t) => {
    if (step[0] === "L") return { x: from.x + (step[1] - from.x) * t, y: from.y + (step[2] - from.y) * t };
    const u = 1 - t;
    const blend = (a, b, c, d) => u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
    return { x: blend(from.x, step[1], step[3], step[5]), y: blend(from.y, step[2], step[4], step[6]) };
  };
  for (const arrow of scene.arrows) {
    let from = { x: arrow.steps[0][1], y: arrow.steps[0][2] };
    for (const step of arrow.steps.slice(1)) {
      for (let t = 0.05; t < 1; t += 0.05) {
        const p = at(from, step, t);
        for (const b of rows.get(band(p.y)) ?? []) if (inside(p, b)) found.push(`an arrow from ${arrow.from} to ${arrow.to} crosses ${b.id}`);
      }
      from = { x: step.at(-2), y: step.at(-1) };
    }
  }
  for (const b of scene.boxes) if (b.x < 0 || b.y < 0 || b.x + b.w > scene.width + 1 || b.y + b.h > scene.height + 1) found.push(`box ${b.id} leaves the page`);
  return [...new Set(found)].slice(0, 10);
}
