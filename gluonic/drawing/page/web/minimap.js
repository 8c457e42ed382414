// The whole picture, small, with a frame around what is seen; dragging moves it.

import { paintFar } from "./far.js";

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
    const scale = Math.min(180 / scene.width, 220 / scene.height);
    this.scale = scale;
    const [width, height] = [Math.max(8, scene.width * scale), Math.max(8, scene.height * scale)];
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.picture = document.createElement("canvas");
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    const context = this.picture.getContext("2d");
    context.scale(scale * ratio, scale * ratio);
    paintFar(context, scene, { ...this.look(), near: undefined, selected: undefined }, scale);
    this.moved();
  }

  moved() {
    const { view, canvas, scale } = this;
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
    context.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    context.strokeStyle = look.ground.strong;
    context.fillStyle = `${look.ground.strong}22`;
    context.lineWidth = 1.5 / scale;
    const window = [-view.x / view.scale, -view.y / view.scale, view.width / view.scale, view.height / view.scale];
    context.fillRect(...window);
    context.strokeRect(...window);
  }

  go(event) {
    const box = this.canvas.getBoundingClientRect();
    const { view, scale } = this;
    view.x = view.width / 2 - ((event.clientX - box.left) / scale) * view.scale;
    view.y = view.height / 2 - ((event.clientY - box.top) / scale) * view.scale;
    view.draw();
  }
}
