// The picture from far away: no texts, and all that has one colour is drawn at once.

/** Draw on a canvas; `scale` is how many pixels a unit takes. */
export function paintFar(context, what, look, scale) {
  const fills = new Map();
  const once = pixels(scale);
  const collect = (colour, box) => {
    if (!once(colour, box.x, box.y)) return;
    if (fills.has(colour)) fills.get(colour).push(box);
    else fills.set(colour, [box]);
  };
  for (const box of what.boxes) if (box.open && box.w * scale > 3) collect(look.ground.group[box.depth % 2], box);
  fillAll(context, fills);
  outline(context, what.boxes.filter(box => box.open && box.w * scale > 6), look.ground.rim, 1 / scale);
  arrows(context, what.arrows, look, scale);
  fills.clear();
  for (const box of what.boxes) if (!box.open) collect(look.colourOf(box.id).fill, box);
  fillAll(context, fills);
  if (scale > 0.08) {
    const lines = new Map();
    for (const box of what.boxes) {
      if (box.open) continue;
      const colour = look.mark?.(box.id)?.line ?? look.colourOf(box.id).line;
      if (lines.has(colour)) lines.get(colour).push(box);
      else lines.set(colour, [box]);
    }
    for (const [colour, boxes] of lines) outline(context, boxes, colour, Math.min(1.2, 0.7 / scale));
  } else {
    fills.clear();
    for (const box of what.boxes) if (!box.open) collect(look.colourOf(box.id).line, box);
    fillAll(context, fills);
  }
  if (look.hits?.size) outline(context, what.boxes.filter(box => look.hits.has(box.id)), look.ground.hit, 3 / scale);
  const selected = what.boxes.find(box => box.id === look.selected);
  if (selected) outline(context, [selected], look.ground.strong, 2.5 / scale);
}

/** Very far away many things fall on one pixel: tells whether something is the first of its kind there. */
function pixels(scale) {
  if (scale > 0.05) return () => true;
  const seen = new Set();
  return (kind, x, y) => {
    const key = `${kind} ${Math.round(x * scale)} ${Math.round(y * scale)}`;
    return !seen.has(key) && Boolean(seen.add(key));
  };
}

function fillAll(context, fills) {
  for (const [colour, boxes] of fills) {
    context.fillStyle = colour;
    for (const { x, y, w, h } of boxes) context.fillRect(x, y, w, h);
  }
}

function outline(context, boxes, colour, width) {
  context.strokeStyle = colour;
  context.lineWidth = width;
  for (const { x, y, w, h } of boxes) context.strokeRect(x, y, w, h);
}

function arrows(context, all, look, scale) {
  context.lineWidth = Math.max(1, 0.6 / scale);
  for (const [near, colour] of [[false, look.ground.edge], [true, look.ground.strong]]) {
    context.strokeStyle = colour;
    context.beginPath();
    let count = 0;
    const once = pixels(scale);
    for (const arrow of all) {
      const isNear = Boolean(look.near && arrow.flows.some(flow => look.near.has(flow)));
      if (isNear !== near || (!near && (arrow.bottom - arrow.top - 80 + arrow.right - arrow.left) * scale < 1.5)) continue;
      if (!near && !once("", arrow.left, arrow.top)) continue;
      arrow.points.forEach(({ x, y }, i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
      count += 1;
      if (count % 400 === 0) {
        context.stroke();
        context.beginPath();
      }
    }
    context.stroke();
  }
}
