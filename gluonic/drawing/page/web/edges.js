// Which arrows stand at which level: an arrow between blocks enters and leaves each open block through a port.

/** What is seen of a thing: itself, or the outermost closed block around it. */
export function visibleAs(graph, open, id) {
  let seen = id;
  for (let at = graph.parent(id); at !== undefined; at = graph.parent(at)) if (!open.has(at)) seen = at;
  return seen;
}

/** The things around it up to the root, which is the last one. */
function levels(graph, id) {
  const found = [];
  for (let at = graph.parent(id); at !== undefined; at = graph.parent(at)) found.push(at);
  return found;
}

/**
 * The arrows of each open block: a map from the block's id to arrows between its members.
 *
 * An arrow's end is a member and, if that is an open block, the port there; or the block's own port, with the
 * member null. Ports are named by what flows through them: "node:output".
 */
export function arrowsByLevel(graph, open) {
  const found = new Map();
  const seenAs = new Map();
  const seen = id => {
    if (!seenAs.has(id)) seenAs.set(id, visibleAs(graph, open, id));
    return seenAs.get(id);
  };
  const around = new Map();
  const chain = id => {
    if (!around.has(id)) around.set(id, levels(graph, id));
    return around.get(id);
  };
  graph.nodes.forEach((node, target) => {
    if (node.folded || !graph.parents.has(target)) return;
    for (const [source, output] of node.inputs ?? []) {
      if (graph.nodes[source].folded || !graph.parents.has(source)) continue;
      const a = seen(source);
      const b = seen(target);
      if (a !== b) join(found, chain, open, { a, b, flow: `${source}:${output}` });
    }
  });
  return found;
}

function join(found, chain, open, { a, b, flow }) {
  const upA = chain(a);
  const upB = chain(b);
  let depthA = upA.length - 1;
  let depthB = upB.length - 1;
  while (depthA > 0 && depthB > 0 && upA[depthA - 1] === upB[depthB - 1]) {
    depthA -= 1;
    depthB -= 1;
  }
  // An operator with an open body is a level of its own; what it reads ends at its head.
  for (let i = 0; i < depthA; i++) add(found, upA[i], end(a, upA, i, flow), { member: null, port: flow }, flow);
  for (let i = 0; i < depthB; i++) add(found, upB[i], { member: null, port: flow }, end(b, upB, i, flow), flow);
  add(found, upA[depthA], end(a, upA, depthA, flow), end(b, upB, depthB, flow), flow);
}

function end(id, up, depth, flow) {
  return depth === 0 ? { member: id, port: null } : { member: up[depth - 1], port: flow };
}

function add(found, level, from, to, flow) {
  if (!found.has(level)) found.set(level, new Map());
  const arrows = found.get(level);
  const key = `${from.member}/${from.port}>${to.member}/${to.port}`;
  const known = arrows.get(key);
  if (known) {
    if (!known.flows.includes(flow)) known.flows.push(flow);
  } else arrows.set(key, { from, to, flows: [flow] });
}
