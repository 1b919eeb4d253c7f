// What every drawing shares: SVG elements made without markup, scales, axes, marks, tips.

const SVG = "http://www.w3.org/2000/svg";
const MEANINGS = [[1, "Pareto front"], [2, "Rank-2 front"], [0, "Other methods"]];
const tips = new WeakMap();
let patterns = 0;

// Names from files reach the page only as text nodes and attribute values, through these two.
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

function canvas(width, height, label) {
  return shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

function write(parent, x, y, text, attributes = {}) {
  const made = shape("text", { x, y, ...attributes }, text);
  parent.append(made);
  return made;
}

function segment(parent, x1, y1, x2, y2, kind) {
  const made = shape("line", { x1, y1, x2, y2, class: kind });
  parent.append(made);
  return made;
}

const ruler = document.createElement("canvas").getContext("2d");
let rulerFamily = null;

function textWidth(text, size = 12, weight = 400) {
  rulerFamily ??= getComputedStyle(document.body).fontFamily;
  ruler.font = `${weight} ${size}px ${rulerFamily}`;
  return ruler.measureText(text).width;
}

function widest(names, size) {
  return names.reduce((most, name) => Math.max(most, textWidth(shown(name), size)), 0);
}

function shown(name, longest = 40) {
  const letters = Array.from(name);
  return letters.length <= longest ? name : `${letters.slice(0, longest - 1).join("")}…`;
}

// The name, or as much of its beginning as there is room for.
function fitted(name, room, size = 12) {
  const letters = Array.from(shown(name));
  if (textWidth(letters.join(""), size) <= room) return letters.join("");
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size) > room) letters.pop();
  return `${letters.join("")}…`;
}

function ticks(low, high, wanted, whole = false) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  let step = [1, 2, 5, 10].map((part) => part * power).find((size) => span / size <= wanted);
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(n * step);
  return found;
}

function tickText(value) {
  return Number(value.toPrecision(6)).toString();
}

function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + (value - low) / span * (to - from);
}

// Grid lines, tick texts and titles; axes and grid end where the ranges end, a share at 1.
function drawAxes(svg, box, x, y, xAxis, yAxis) {
  const [left, right] = [x(xAxis.low), x(xAxis.high)], [bottom, top] = [y(yAxis.low), y(yAxis.high)];
  for (const tick of ticks(xAxis.low, xAxis.high, Math.max(3, (box.right - box.left) / 58), xAxis.whole)) {
    segment(svg, x(tick), top, x(tick), box.bottom, "grid");
    write(svg, x(tick), box.bottom + 16, tickText(tick), { class: "tick", "text-anchor": "middle" });
  }
  for (const tick of ticks(yAxis.low, yAxis.high, Math.max(3, (box.bottom - box.top) / 42), yAxis.whole)) {
    segment(svg, box.left, y(tick), right, y(tick), "grid");
    write(svg, box.left - 7, y(tick) + 4, tickText(tick), { class: "tick", "text-anchor": "end" });
  }
  svg.append(shape("path", { class: "axis", d: `M${box.left} ${top}V${bottom}M${left} ${box.bottom}H${right}` }));
  write(svg, (box.left + box.right) / 2, box.bottom + 34, fitted(xAxis.title, box.right - box.left), { "text-anchor": "middle" });
  const middle = (box.top + box.bottom) / 2;
  write(svg, 13, middle, fitted(yAxis.title, box.bottom - box.top), { "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` });
}

// A disc on the front, a diamond on the rank-2 front, a ring elsewhere; own methods in their colour.
function mark(x, y, front, radius = front ? 5 : 4, own = false) {
  const kind = `mark front-${front}${own ? " own" : ""}`;
  if (front !== 2) return shape("circle", { cx: x, cy: y, r: radius, class: kind });
  const r = radius * 1.2;
  return shape("path", { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`, class: kind });
}

// What the marks that are there mean, `own` ones and places of several among them.
function markKey(present, meanings = MEANINGS, own = false, several = false) {
  const key = element("div", { class: "key" });
  const add = (drawn, text) => {
    const sign = shape("svg", { width: 14, height: 12, "aria-hidden": "true" });
    drawn.classList.add("fixed");
    sign.append(drawn);
    key.append(element("span", {}, sign, text));
  };
  for (const [front, text] of meanings) if (present.has(front)) add(mark(7, 6, front), text);
  if (own) add(mark(7, 6, 1, 5, true), "Yours");
  if (several) add(shape("circle", { cx: 7, cy: 6, r: 5, class: "several" }), "Several at one place");
  return key;
}

function rampKey(kind, title) {
  return element("div", { class: "key" },
    element("span", {}, "0", element("span", { class: `ramp ${kind}` }), "1"), element("span", {}, title));
}

// Fields without a result show the hatching that lies under all fields.
function hatch(svg, x, y, width, height) {
  const id = `hatch-${++patterns}`;
  const pattern = shape("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  segment(pattern, 0, 0, 0, 6, "hatching");
  svg.append(shape("defs", {}, pattern), shape("rect", { x, y, width, height, fill: `url(#${id})` }));
}

// What a reader gets when pointing at a mark, or reaching it with the keyboard.
function withTip(made, text) {
  tips.set(made, text);
  return made;
}

function watchTips(tip) {
  const show = (text, x, y) => {
    tip.textContent = typeof text === "function" ? text() : text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 4))}px`;
    tip.style.top = `${y + 16 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 16}px`;
  };
  document.addEventListener("pointermove", (event) => {
    const text = tips.get(event.target);
    if (text) show(text, event.clientX, event.clientY); else tip.hidden = true;
  });
  document.addEventListener("focusin", (event) => {
    const text = tips.get(event.target), box = event.target.getBoundingClientRect();
    if (text) show(text, box.right, box.bottom); else tip.hidden = true;
  });
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);
}
