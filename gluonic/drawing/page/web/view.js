// The canvas: what part of the picture is seen, and what the mouse, fingers and keys do to it.

import { onHandle, paint } from "./scene.js";
import { paintFar } from "./far.js";
import { CanvasPainter } from "./painters.js";

const farScale = 0.26;
const nearest = 4;
const readable = 0.85;

export class View {
  /** @param hooks {select(id), toggle(id), hover(id), look(): how things look} */
  constructor(canvas, hooks) {
    this.canvas = canvas;
    this.hooks = hooks;
    this.x = this.y = 0;
    this.scale = 1;
    this.frames = 0;
    this.pointers = new Map();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  show(scene) {
    this.scene = scene;
    this.draw();
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const isFirst = !this.width;
    this.width = width;
    this.height = height;
    const ratio = globalThis.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    if (isFirst && this.scene) this.begin();
    this.drawNow();
  }

  draw() {
    this.waiting ??= requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    if (this.waiting) cancelAnimationFrame(this.waiting);
    this.waiting = undefined;
    if (!this.scene || !this.width) return;
    const context = this.canvas.getContext("2d", { alpha: false });
    const look = this.hooks.look();
    const ratio = globalThis.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = look.ground.page;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(this.scale * ratio, 0, 0, this.scale * ratio, this.x * ratio, this.y * ratio);
    const what = this.scene.within(-this.x / this.scale, -this.y / this.scale, (this.width - this.x) / this.scale, (this.height - this.y) / this.scale);
    if (this.scale < farScale) paintFar(context, what, look, this.scale);
    else paint(new CanvasPainter(context), what, look);
    this.frames += 1;
    this.hooks.moved?.();
  }

  // Where the picture is

  toPicture(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    return [(clientX - box.left - this.x) / this.scale, (clientY - box.top - this.y) / this.scale];
  }

  toClient(x, y) {
    const box = this.canvas.getBoundingClientRect();
    return [box.left + this.x + x * this.scale, box.top + this.y + y * this.scale];
  }

  get smallest() {
    const { width, height } = this.scene;
    return Math.min(0.5, 0.7 * Math.min(this.width / width, this.height / height));
  }

  zoom(factor, clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const atX = (clientX ?? box.left + this.width / 2) - box.left;
    const atY = (clientY ?? box.top + this.height / 2) - box.top;
    const scale = Math.max(this.smallest, Math.min(nearest, this.scale * factor));
    this.x = atX - ((atX - this.x) * scale) / this.scale;
    this.y = atY - ((atY - this.y) * scale) / this.scale;
    this.scale = scale;
    this.draw();
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.draw();
  }

  /** Show all of it. */
  fit() {
    const { width, height } = this.scene;
    this.place(Math.min(1.25, (this.width - 24) / width, (this.height - 24) / height));
  }

  /** Show its beginning at a size at which it can be read, and all of it if that fits. */
  begin() {
    this.fit();
    if (this.scale < readable) this.place(readable);
  }

  /** Show it at a scale: in the middle, or as much as fits around its first box. */
  place(scale) {
    const { width, height, boxes } = this.scene;
    const first = boxes.reduce((top, box) => (box.y < top.y ? box : top), boxes[0]);
    const around = first ? this.width / 2 - (first.x + first.w / 2) * scale : 0;
    this.scale = scale;
    this.x = width * scale <= this.width ? (this.width - width * scale) / 2 : Math.min(12, Math.max(this.width - width * scale - 12, around));
    this.y = height * scale <= this.height ? (this.height - height * scale) / 2 : 12;
    this.draw();
  }

  /** Bring a box to the middle, at a size at which it can be read. */
  reveal(id) {
    const box = this.scene.byId.get(id);
    if (!box) return;
    const fitting = Math.min((this.width * 0.9) / box.w, (this.height * 0.9) / box.h);
    this.scale = Math.min(Math.max(this.scale, 0.8), Math.max(fitting, this.smallest), 1.5);
    this.x = this.width / 2 - (box.x + box.w / 2) * this.scale;
    this.y = box.h * this.scale > this.height * 0.9 ? 48 - box.y * this.scale : this.height / 2 - (box.y + box.h / 2) * this.scale;
    this.draw();
  }

  /** Move as little as shows a box. */
  keepVisible(id) {
    const box = this.scene.byId.get(id);
    if (!box || this.scale < farScale) return this.reveal(id);
    const [left, top] = [this.x + box.x * this.scale, this.y + box.y * this.scale];
    const [right, bottom] = [left + box.w * this.scale, top + Math.min(box.h, 200) * this.scale];
    const inward = (low, high, size) => (low < 30 ? 30 - low : high > size - 30 ? size - 30 - high : 0);
    this.pan(inward(left, right, this.width), inward(top, bottom, this.height));
  }

  // What users do

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", event => this.down(event));
    canvas.addEventListener("pointermove", event => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, event => this.up(event));
    canvas.addEventListener("pointerleave", () => this.hooks.hover(undefined));
    canvas.addEventListener("dblclick", event => this.open(event));
  }

  wheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey) this.pan(-(event.deltaX || event.deltaY) * unit, 0);
    else this.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX, event.clientY);
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, startX: event.clientX, startY: event.clientY });
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return this.hover(event);
    const others = [...this.pointers.values()].filter(p => p !== pointer);
    if (others.length) this.pinch(pointer, others[0], event);
    else this.pan(event.clientX - pointer.x, event.clientY - pointer.y);
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    if (Math.hypot(pointer.x - pointer.startX, pointer.y - pointer.startY) > 5) pointer.moved = true;
    return undefined;
  }

  /** Two fingers: what was between them stays between them. */
  pinch(moving, resting, event) {
    const before = Math.hypot(moving.x - resting.x, moving.y - resting.y);
    const after = Math.hypot(event.clientX - resting.x, event.clientY - resting.y);
    moving.moved = resting.moved = true;
    this.pan((event.clientX - moving.x) / 2, (event.clientY - moving.y) / 2);
    if (before > 0) this.zoom(after / before, (event.clientX + resting.x) / 2, (event.clientY + resting.y) / 2);
  }

  up(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!pointer || pointer.moved || event.type === "pointercancel") return;
    const [x, y] = this.toPicture(event.clientX, event.clientY);
    const box = this.scene.at(x, y);
    if (box && this.hooks.canOpen(box.id) && onHandle(box, x, y)) this.hooks.toggle(box.id);
    else this.hooks.select(box?.id);
  }

  open(event) {
    const [x, y] = this.toPicture(event.clientX, event.clientY);
    const box = this.scene.at(x, y);
    if (box && this.hooks.canOpen(box.id) && !onHandle(box, x, y)) this.hooks.toggle(box.id);
  }

  hover(event) {
    const [x, y] = this.toPicture(event.clientX, event.clientY);
    const box = this.scene?.at(x, y);
    this.canvas.style.cursor = box && !(box.open && !onHandle(box, x, y)) ? "pointer" : "grab";
    this.hooks.hover(box?.id);
  }
}
