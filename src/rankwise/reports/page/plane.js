// The plane of methods: certainty to the right, accuracy upwards, the fronts named.

function drawScatter(figure, width, open) {
  const height = Math.round(Math.max(340, Math.min(560, width * 0.6)));
  const svg = canvas(width, height, figure.title);
  const box = { left: 50, right: width - 10, top: 6, bottom: height - 42 };
  const x = scale(figure.x.low, figure.x.high, box.left + 10, box.right - (box.right - box.left) * 0.05);
  const y = scale(figure.y.low, figure.y.high, box.bottom - 10, box.top + (box.bottom - box.top) * 0.08);
  drawAxes(svg, box, x, y, figure.x, figure.y);
  drawStairs(svg, figure.points, x, y);
  const marks = drawMarks(svg, figure.points, x, y, open);
  const several = drawRings(svg, figure.points, x, y);
  const labels = svg.appendChild(shape("g", { class: "labels", "aria-hidden": "true" }));
  writeLabels(labels, figure.points, x, y, box, width < 560);
  if (open) walkMarks(svg, marks, open, figure.points);
  const fronts = new Set(figure.points.map((point) => point.front));
  return element("div", {}, svg, markKey(fronts, MEANINGS, figure.points.some((point) => point.own), several));
}

function drawStairs(svg, points, x, y) {
  const steps = stairs(points).map(([a, b]) => `${x(a)},${y(b)}`);
  svg.append(shape("polyline", { points: steps.join(" "), class: "stairs" }));
}

// The border of what the front dominates: down to the next optimum, then right to it.
function stairs(points) {
  const optima = points.filter((point) => point.front === 1).sort((a, b) => a.x - b.x || a.y - b.y);
  return optima.flatMap((point, number) => (
    number ? [[optima[number - 1].x, point.y], [point.x, point.y]] : [[point.x, point.y]]
  ));
}

// Drawn from the least to the most important; walked through from the best downwards.
function drawMarks(svg, points, x, y, open) {
  const layer = shape("g"), radius = points.length > 1000 ? 3 : 4;
  const marks = points.map((point) => {
    const made = withTip(mark(x(point.x), y(point.y), point.front, point.front ? 5 : radius, point.own), `${point.name}\n${point.detail}`);
    made.dataset.method = point.name;
    if (!open) made.classList.add("fixed");
    return made;
  });
  const order = (number) => (points[number].own ? 3 : [0, 2, 1].indexOf(points[number].front));
  const places = [...points.keys()].sort((a, b) => order(a) - order(b));
  layer.append(...places.map((number) => marks[number]));
  svg.append(layer);
  return marks;
}

// A ring around marks that cover others: without it two methods would look like one.
function drawRings(svg, points, x, y) {
  const counts = new Map();
  for (const point of points) {
    const place = `${x(point.x)} ${y(point.y)}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count > 1).map(([place]) => place.split(" "));
  svg.append(...shared.map(([cx, cy]) => shape("circle", { cx, cy, r: 7.5, class: "several" })));
  return shared.length > 0;
}

// One stop for the Tab key; the arrows go to the next and the last method, Enter opens its panel.
function walkMarks(svg, marks, open, facts) {
  const places = new Map(marks.map((made, number) => [made, number]));
  marks.forEach((made, number) => {
    made.setAttribute("role", "button");
    made.setAttribute("aria-label", `${facts[number].name}, ${facts[number].detail}`);
    made.setAttribute("tabindex", number ? "-1" : "0");
  });
  svg.setAttribute("role", "group");
  svg.addEventListener("click", (event) => {
    if (places.has(event.target)) open(event.target.dataset.method);
  });
  svg.addEventListener("keydown", (event) => {
    const now = places.get(event.target);
    if (now === undefined) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(marks[now].dataset.method);
    } else if (event.key in steps || event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const last = marks.length - 1;
      const next = event.key === "Home" ? 0 : event.key === "End" ? last : now + steps[event.key];
      marks[now].setAttribute("tabindex", "-1");
      const reached = marks[Math.max(0, Math.min(last, next))];
      reached.setAttribute("tabindex", "0");
      reached.focus();
    }
  });
}

function writeLabels(layer, points, x, y, box, narrow) {
  const named = points.filter((point) => point.labelled && (!narrow || point.front === 1 || point.own));
  named.sort((a, b) => (a.front || 9) - (b.front || 9) || Number(b.own ?? 0) - Number(a.own ?? 0) || b.y - a.y);
  const labels = named.map((point) => {
    const size = narrow ? 11 : point.front === 1 ? 13 : 11.5, text = shown(point.name, narrow ? 22 : 40);
    const kind = `halo${point.front === 1 ? "" : " minor"}${point.own ? " own" : ""}`;
    return { text, size, kind, x: x(point.x), y: y(point.y), width: textWidth(text, size, point.own ? 600 : 400) + 5, height: size + 3 };
  });
  const others = points.filter((point) => !named.includes(point)).map((point) => (
    { x: x(point.x), y: y(point.y), weight: point.front ? 5 : 1 }
  ));
  const line = along(stairs(points)).map(([a, b]) => ({ x: x(a), y: y(b), weight: 1 }));
  placeLabels(labels, others, box, 5, line);
  // On a phone a name far from its mark tells less than a tap on the mark.
  const near = labels.filter((one) => one.place && (!narrow || one.place.gap < 30));
  for (const label of near) writeLabel(layer, label, [...labels, ...others]);
}

// The front line as a row of marks, so that labels keep off it where they can.
function along(steps) {
  return steps.slice(1).flatMap(([a, b], number) => {
    const [fromA, fromB] = steps[number];
    return Array.from({ length: 12 }, (_, part) => [fromA + (a - fromA) * part / 12, fromB + (b - fromB) * part / 12]);
  });
}

function writeLabel(layer, label, marks) {
  const { text, size, kind, x, y, width, height, place } = label, led = needsLeader(label, marks);
  if (led) {
    const nearX = Math.max(place.x - width / 2, Math.min(x, place.x + width / 2));
    const nearY = Math.max(place.y - height / 2, Math.min(y, place.y + height / 2));
    segment(layer, x, y, nearX, nearY, "leader");
  }
  const made = write(layer, place.x, place.y + size * 0.35, text, { class: kind, "text-anchor": "middle" });
  made.style.fontSize = `${size}px`;
  // Where its mark is, for whoever checks that the name stands beside it.
  Object.assign(made.dataset, { x, y, led });
}
