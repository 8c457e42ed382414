// Where the page puts boxes and arrows when a text is as wide as it is long; a graph's data come in, positions go out.

import { readFileSync } from "node:fs";
import { Boxes } from "../../../gluonic/drawing/page/web/boxes.js";
import { everything, opening } from "../../../gluonic/drawing/page/web/folding.js";
import { Graph } from "../../../gluonic/drawing/page/web/graph.js";
import { Scene } from "../../../gluonic/drawing/page/web/scene.js";

const graph = new Graph(JSON.parse(readFileSync(0, "utf8")));
const boxes = new Boxes(graph, (text, size, bold) => [...text].length * size * (bold ? 0.6 : 0.5));
const found = [opening(graph), everything(graph)].map(open => {
  const scene = new Scene(graph, boxes, open);
  return {
    size: [scene.width, scene.height],
    boxes: scene.boxes.map(({ id, x, y, w, h }) => [id, x, y, w, h]),
    texts: scene.boxes.map(({ id, open }) => (open ? boxes.headTexts(id) : boxes.lines(id))),
    arrows: scene.arrows.map(({ points }) => points.map(({ x, y }) => [x, y])),
    totals: scene.boxes.map(({ id }) => {
      const { operators, numbers, parameterBytes, operations, written, unknown } = graph.total(id);
      return [operators, numbers, parameterBytes, operations, written, unknown];
    }),
    hefts: scene.arrows.map(({ heft }) => heft),
    labels: scene.arrows.flatMap(a => a.labels.map(({ text, x, y }) => [text, x, y])),
  };
});
process.stdout.write(JSON.stringify(found));
