// Which arrows stand at which level: an arrow between blocks enters and leaves each open block through a port.

const fewestBundled = 4;

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
 * member null. Ports are named by what flows through them: "node:output", or a bundle of flows.
 */
export function arrowsByLevel(graph, open) {
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
  const links = [];
  graph.nodes.forEach((node, target) => {
    if (node.folded || !graph.parents.has(target)) return;
    for (const [source, output] of node.inputs ?? []) {
      if (graph.nodes[source].folded || !graph.parents.has(source)) continue;
      const [a, b] = [seen(source), seen(target)];
      if (a !== b) links.push({ a, b, flow: `${source}:${output}`, ...borders(chain(a), chain(b)) });
    }
  });
  const found = new Map();
  const portAt = ports(links);
  for (const link of links) join(found, link, portAt);
  return found;
}

/** The blocks that a flow leaves, those that it enters, inner ones first, and the one that holds both ends. */
function borders(upA, upB) {
  let [i, j] = [upA.length - 1, upB.length - 1];
  while (i > 0 && j > 0 && upA[i - 1] === upB[j - 1]) [i, j] = [i - 1, j - 1];
  return { left: upA.slice(0, i), entered: upB.slice(0, j), level: upA[i] };
}

/** The port at which a flow crosses a border: flows side by side, from one box or to one box, share it. */
function ports(links) {
  const bundles = ({ a, b }) => [`from ${a}`, `to ${b}`];
  const flows = new Map();
  for (const link of links)
    for (const block of [...link.left, ...link.entered])
      for (const bundle of bundles(link)) {
        const key = `${block} ${bundle}`;
        if (!flows.has(key)) flows.set(key, new Set());
        flows.get(key).add(link.flow);
      }
  return (block, link) => bundles(link).find(bundle => flows.get(`${block} ${bundle}`).size >= fewestBundled) ?? link.flow;
}

function join(found, link, portAt) {
  const { a, b, flow, left, entered, level } = link;
  let [from, to] = [{ member: a, port: null }, { member: b, port: null }];
  for (const block of left) {
    const port = portAt(block, link);
    add(found, block, from, { member: null, port }, flow);
    from = { member: block, port };
  }
  for (const block of entered) {
    const port = portAt(block, link);
    add(found, block, { member: null, port }, to, flow);
    to = { member: block, port };
  }
  add(found, level, from, to, flow);
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

/** The flows that leave each box ("member/port"); of those that pass a port of an open block, only bundles. */
export function flowsByStart(arrows) {
  const found = new Map();
  for (const { from, flows } of arrows) {
    if (from.member === null) continue;
    const key = `${from.member}/${from.port}`;
    if (!found.has(key)) found.set(key, { member: from.member, port: from.port, flows: new Set() });
    for (const flow of flows) found.get(key).flows.add(flow);
  }
  for (const [key, { port, flows }] of found) if (port !== null && flows.size < 2) found.delete(key);
  return found;
}
