// What every drawing shares: SVG elements made without markup, scales, axes, marks, tips.

const SVG = "http://www.w3.org/2000/svg";
const MEANINGS = { 1: "Pareto front", 2: "Rank-2 front", 0: "Other methods" };
const tips = new WeakMap();

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

function textWidth(text, size = 12, weight = 400) {
  ruler.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

function widest(names, size) {
  return names.reduce((most, name) => Math.max(most, textWidth(shown(name), size)), 0);
}

function shown(name, longest = 40) {
  const letters = Array.from(name);
  return letters.length <= longest ? name : `${letters.slice(0, longest - 1).join("")}…`;
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

// Grid lines, tick texts and titles of the plane between `box.left` … `box.bottom`.
function drawAxes(svg, box, x, y, xAxis, yAxis) {
  for (const tick of ticks(xAxis.low, xAxis.high, Math.max(3, (box.right - box.left) / 58), xAxis.whole)) {
    segment(svg, x(tick), box.top, x(tick), box.bottom, "grid");
    write(svg, x(tick), box.bottom + 16, tickText(tick), { class: "tick", "text-anchor": "middle" });
  }
  for (const tick of ticks(yAxis.low, yAxis.high, Math.max(3, (box.bottom - box.top) / 42), yAxis.whole)) {
    segment(svg, box.left, y(tick), box.right, y(tick), "grid");
    write(svg, box.left - 7, y(tick) + 4, tickText(tick), { class: "tick", "text-anchor": "end" });
  }
  svg.append(shape("path", { class: "axis", d: `M${box.left} ${box.top}V${box.bottom}H${box.right}` }));
  write(svg, (box.left + box.right) / 2, box.bottom + 34, xAxis.title, { "text-anchor": "middle" });
  const middle = (box.top + box.bottom) / 2;
  write(svg, 13, middle, yAxis.title, { "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` });
}

// A disc on the front, a diamond on the rank-2 front, a ring elsewhere.
function mark(x, y, front, radius = front ? 5 : 4) {
  const kind = `mark front-${front}`;
  if (front !== 2) return shape("circle", { cx: x, cy: y, r: radius, class: kind });
  const r = radius * 1.2;
  return shape("path", { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`, class: kind });
}

function frontKey(present) {
  const key = element("div", { class: "key" });
  for (const front of [1, 2, 0].filter((one) => present.has(one))) {
    const sign = shape("svg", { width: 14, height: 12, "aria-hidden": "true" });
    const drawn = mark(7, 6, front);
    drawn.classList.add("fixed");
    sign.append(drawn);
    key.append(element("span", {}, sign, MEANINGS[front]));
  }
  return key;
}

function rampKey(kind, title) {
  return element("div", { class: "key" },
    element("span", {}, "0", element("span", { class: `ramp ${kind}` }), "1"), element("span", {}, title));
}

// What a reader gets when pointing at a mark, or reaching it with the keyboard.
function withTip(made, text) {
  tips.set(made, text);
  return made;
}

function watchTips(tip) {
  const show = (text, x, y) => {
    tip.textContent = text;
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
