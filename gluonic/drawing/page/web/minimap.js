// The whole picture, small, with a frame around what is seen; dragging moves it.

import { paintFar } from "./far.js";

const most = { width: 180, height: 220 };
const least = 28;

export class Minimap {
  constructor(canvas, view, look) {
    this.canvas = canvas;
    this.view = view;
    this.look = look;
    for (const kind of ["pointerdown", "pointermove"]) canvas.addEventListener(kind, event => event.buttons && this.go(event));
  }

  /** Draw the picture anew, after it has changed. */
  changed() {
    const { scene } = this.view;
    const ratio = globalThis.devicePixelRatio || 1;
    const scale = Math.min(most.width / scene.width, most.height / scene.height);
    // What is very long is drawn wider than it is, so that there is something to see.
    this.scales = { x: Math.max(scale, least / scene.width), y: Math.max(scale, least / scene.height) };
    const [width, height] = [scene.width * this.scales.x, scene.height * this.scales.y];
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.picture = document.createElement("canvas");
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    const context = this.picture.getContext("2d");
    context.scale(this.scales.x * ratio, this.scales.y * ratio);
    paintFar(context, scene, { ...this.look(), near: undefined, selected: undefined, hits: undefined }, scale);
    this.moved();
  }

  moved() {
    const { view, canvas, scales } = this;
    if (!this.picture) return;
    const look = this.look();
    const { width, height } = view.scene;
    const isAllSeen = view.x >= 0 && view.y >= 0 && width * view.scale + view.x <= view.width && height * view.scale + view.y <= view.height;
    canvas.parentElement.hidden = isAllSeen;
    if (isAllSeen) return;
    const context = canvas.getContext("2d");
    const ratio = globalThis.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.strokeStyle = look.ground.strong;
    context.fillStyle = `${look.ground.strong}22`;
    context.lineWidth = 1.5;
    this.showHits(context, look);
    const seen = { x: scales.x / view.scale, y: scales.y / view.scale };
    const window = [-view.x * seen.x, -view.y * seen.y, view.width * seen.x, Math.max(3, view.height * seen.y)];
    context.fillRect(...window);
    context.strokeRect(...window);
  }

  showHits(context, { hits, ground }) {
    context.save();
    context.fillStyle = ground.hit;
    for (const id of hits?.keys() ?? []) {
      const box = this.view.scene.byId.get(id);
      if (box) context.fillRect(box.x * this.scales.x - 1, box.y * this.scales.y - 1, box.w * this.scales.x + 2, Math.max(3, Math.min(box.h, 40) * this.scales.y));
    }
    context.restore();
  }

  go(event) {
    const box = this.canvas.getBoundingClientRect();
    const { view, scales } = this;
    view.x = view.width / 2 - ((event.clientX - box.left) / scales.x) * view.scale;
    view.y = view.height / 2 - ((event.clientY - box.top) / scales.y) * view.scale;
    view.draw();
  }
}
