// The picture as a file: SVG, or PNG.

import { CanvasPainter, SvgPainter } from "./painters.js";
import { paint } from "./scene.js";

const mostPixels = 12000;

export function svgText(scene, look) {
  const painter = new SvgPainter(scene.width, scene.height, look.ground.page);
  paint(painter, scene, look);
  return painter.end();
}

/** Draw the whole picture on a canvas of its own, twice as large as on the page if that fits. */
export function pngCanvas(scene, look) {
  const scale = Math.min(2, mostPixels / scene.width, mostPixels / scene.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(scene.width * scale);
  canvas.height = Math.ceil(scene.height * scale);
  const context = canvas.getContext("2d");
  context.fillStyle = look.ground.page;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(scale, scale);
  paint(new CanvasPainter(context), scene, look);
  return canvas;
}

export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
