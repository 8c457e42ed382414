// Two ways to draw the same picture: on a canvas, and as the text of an SVG document.

import { font } from "./boxes.js";

/** Draws on a canvas. */
export class CanvasPainter {
  constructor(context) {
    this.context = context;
  }

  rect(x, y, w, h, radius, { fill, line, width = 1.2, dashed = false }) {
    const c = this.context;
    c.beginPath();
    c.roundRect(x, y, w, h, radius);
    if (fill) {
      c.fillStyle = fill;
      c.fill();
    }
    if (line) {
      c.setLineDash(dashed ? [5, 3] : []);
      c.lineWidth = width;
      c.strokeStyle = line;
      c.stroke();
      c.setLineDash([]);
    }
  }

  text(text, x, y, { size, bold, colour, align = "center", halo }) {
    const c = this.context;
    c.font = `${bold ? "600 " : ""}${size}px ${font}`;
    c.textAlign = align;
    if (halo) {
      c.lineWidth = 3;
      c.lineJoin = "round";
      c.strokeStyle = halo;
      c.strokeText(text, x, y);
    }
    c.fillStyle = colour;
    c.fillText(text, x, y);
  }

  /** Lines of steps: ["M", x, y], ["L", x, y], ["C", x1, y1, x2, y2, x, y]. */
  line(steps, { colour, width }) {
    const c = this.context;
    c.beginPath();
    trace(c, steps);
    c.lineWidth = width;
    c.strokeStyle = colour;
    c.stroke();
  }

  shape(points, colour) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(x, y) : c.moveTo(x, y)));
    c.closePath();
    c.fillStyle = colour;
    c.fill();
  }
}

export function trace(context, steps) {
  for (const step of steps) {
    if (step[0] === "M") context.moveTo(step[1], step[2]);
    else if (step[0] === "L") context.lineTo(step[1], step[2]);
    else context.bezierCurveTo(step[1], step[2], step[3], step[4], step[5], step[6]);
  }
}

export function escaped(text) {
  // Control characters are no part of any XML document.
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"']/g, c => `&#${c.codePointAt(0)};`);
}

const rounded = number => String(Math.round(number * 10) / 10);

/** Writes an SVG document. */
export class SvgPainter {
  constructor(width, height, ground) {
    this.parts = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${rounded(width)}" height="${rounded(height)}" viewBox="0 0 ${rounded(width)} ${rounded(height)}" font-family="${escaped(font)}">`,
      `<rect width="100%" height="100%" fill="${ground}"/>`,
    ];
  }

  rect(x, y, w, h, radius, { fill, line, width = 1.2, dashed = false }) {
    const stroke = line ? ` stroke="${line}" stroke-width="${width}"${dashed ? ' stroke-dasharray="5 3"' : ""}` : "";
    this.parts.push(`<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(w)}" height="${rounded(h)}" rx="${rounded(radius)}" fill="${fill ?? "none"}"${stroke}/>`);
  }

  text(text, x, y, { size, bold, colour, align = "center", halo }) {
    const anchor = { center: "middle", left: "start", right: "end" }[align];
    const ring = halo ? ` stroke="${halo}" stroke-width="3" paint-order="stroke"` : "";
    this.parts.push(`<text x="${rounded(x)}" y="${rounded(y)}" font-size="${size}" fill="${colour}" text-anchor="${anchor}"${bold ? ' font-weight="600"' : ""}${ring}>${escaped(text)}</text>`);
  }

  line(steps, { colour, width }) {
    const d = steps.map(([letter, ...numbers]) => letter + numbers.map(rounded).join(" ")).join("");
    this.parts.push(`<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}"/>`);
  }

  shape(points, colour) {
    this.parts.push(`<polygon points="${points.map(p => p.map(rounded).join(",")).join(" ")}" fill="${colour}"/>`);
  }

  end() {
    return `${this.parts.join("\n")}\n</svg>\n`;
  }
}
