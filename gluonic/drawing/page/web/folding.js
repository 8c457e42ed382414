// Which blocks are open.

const comfortable = 40;

/** Open levels while no more than about forty boxes are seen; what repeats itself stays closed, unless all is small. */
export function opening(graph) {
  const open = new Set([-1]);
  const isSmall = graph.total(-1).operators <= comfortable;
  const opens = id => graph.canOpen(id) && (isSmall || id >= 0 || graph.block(id).role !== "repeat");
  let level = graph.members(-1).filter(opens);
  let seen = graph.members(-1).filter(id => !graph.nodes[id]?.folded).length;
  while (level.length) {
    const more = level.reduce((sum, id) => sum + graph.members(id).length - 1, 0);
    if (seen + more > comfortable) break;
    seen += more;
    for (const id of level) open.add(id);
    level = level.flatMap(id => graph.members(id)).filter(opens);
  }
  return open;
}

/** All blocks. */
export function everything(graph) {
  const found = new Set([-1]);
  for (const id of found) for (const member of graph.members(id)) if (graph.canOpen(member)) found.add(member);
  return found;
}

/** A block and all in it. */
export function below(graph, id) {
  const found = new Set([id]);
  for (const at of found) for (const member of graph.members(at)) if (graph.canOpen(member)) found.add(member);
  return found;
}

/** One level more, or one less. */
export function oneLevel(graph, open, isMore) {
  const found = new Set(open);
  if (isMore) {
    for (const id of open) for (const member of graph.members(id)) if (graph.canOpen(member)) found.add(member);
    return found;
  }
  for (const id of open) if (id !== -1 && !graph.members(id).some(member => open.has(member))) found.delete(id);
  return found;
}
