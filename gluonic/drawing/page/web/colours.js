// Colours: of the page, and of the families of operators, on light and on dark ground.

export const grounds = {
  light: { page: "#ffffff", ink: "#0f172a", faint: "#64748b", edge: "#94a3b8", rim: "#cbd5e1", group: ["#f8fafc", "#f1f5f9"], box: "#ffffff", strong: "#2563eb", hit: "#c026d3", label: "#64748b" },
  dark: { page: "#0b1220", ink: "#e2e8f0", faint: "#94a3b8", edge: "#64748b", rim: "#334155", group: ["#111a2e", "#172238"], box: "#1b2740", strong: "#60a5fa", hit: "#f0abfc", label: "#94a3b8" },
};

function channels(hex) {
  return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
}

/** Between two colours: part 0 is the first, 1 the second. */
export function mixed(first, second, part) {
  const b = channels(second);
  return "#" + channels(first).map((c, i) => Math.round(c + (b[i] - c) * part).toString(16).padStart(2, "0")).join("");
}

/** The colours of the families on a ground, from those on light ground. */
export function familyColours(families, ground) {
  if (ground === "light") return families;
  const dark = grounds.dark;
  const strong = { fill: dark.page, line: dark.ink, text: dark.ink };
  return { ...Object.fromEntries(
    Object.entries(families).map(([name, { line }]) => [name, { fill: mixed(dark.page, line, 0.24), line: mixed(dark.page, line, 0.75), text: mixed(line, "#ffffff", 0.72) }]),
  ), output: strong };
}

/** A colour of its own for each number, well apart from its neighbours'. */
export function numbered(number, ground) {
  const hue = (number * 137.508 + 200) % 360;
  const [fill, line] = ground === "light" ? [86, 45] : [24, 62];
  return { fill: hsl(hue, 70, fill), line: hsl(hue, 60, line), text: hsl(hue, 60, ground === "light" ? 20 : 90) };
}

/** From pale to hot, for a part between 0 and 1. */
export function heat(part, ground) {
  const [cold, hot] = ground === "light" ? ["#f8fafc", "#ef4444"] : ["#1b2740", "#ef4444"];
  const fill = mixed(cold, hot, Math.max(0, Math.min(1, part)) ** 0.6);
  return { fill, line: mixed(fill, ground === "light" ? "#7f1d1d" : "#fecaca", 0.4), text: ground === "light" ? "#0f172a" : "#f8fafc" };
}

function hsl(hue, saturation, lightness) {
  const s = saturation / 100;
  const l = lightness / 100;
  const channel = n => {
    const k = (n + hue / 30) % 12;
    return l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  };
  return "#" + [0, 8, 4].map(n => Math.round(channel(n) * 255).toString(16).padStart(2, "0")).join("");
}
