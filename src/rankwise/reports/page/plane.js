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
  const labels = svg.appendChild(shape("g", { class: "labels", "aria-hidden": "true" }));
  writeLabels(labels, figure.points, x, y, box, width < 560);
  if (open) moveByArrows(svg, marks);
  return element("div", {}, svg, frontKey(new Set(figure.points.map((point) => point.front))));
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
  const layer = shape("g"), marks = [];
  for (const point of points) {
    const made = withTip(mark(x(point.x), y(point.y), point.front), `${point.name}\n${point.detail}`);
    made.dataset.method = point.name;
    if (open) {
      made.setAttribute("role", "button");
      made.setAttribute("aria-label", `${point.name}, ${point.detail}`);
      made.setAttribute("tabindex", marks.length ? "-1" : "0");
      made.addEventListener("click", () => open(point.name));
    } else {
      made.classList.add("fixed");
    }
    marks.push(made);
  }
  const order = (made) => [0, 2, 1].findIndex((front) => made.classList.contains(`front-${front}`));
  layer.append(...[...marks].sort((a, b) => order(a) - order(b)));
  svg.append(layer);
  return marks;
}

// One stop for the Tab key; the arrows go to the next and the last method, Enter opens its panel.
function moveByArrows(svg, marks) {
  svg.setAttribute("role", "group");
  svg.addEventListener("keydown", (event) => {
    const now = marks.indexOf(event.target);
    if (now < 0) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      marks[now].dispatchEvent(new MouseEvent("click"));
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
  const named = points.filter((point) => point.labelled && (!narrow || point.front === 1));
  named.sort((a, b) => (a.front || 9) - (b.front || 9) || b.y - a.y);
  const labels = named.map((point) => {
    const size = narrow ? 11 : point.front === 1 ? 13 : 11.5, text = shown(point.name, narrow ? 22 : 40);
    return { point, text, size, x: x(point.x), y: y(point.y), width: textWidth(text, size) + 5, height: size + 3 };
  });
  const marks = points.filter((point) => !named.includes(point)).map((point) => (
    { x: x(point.x), y: y(point.y), weight: point.front ? 5 : 1 }
  ));
  marks.push(...along(stairs(points)).map(([a, b]) => ({ x: x(a), y: y(b), weight: 1 })));
  placeLabels(labels, marks, box, 5);
  // On a phone a name far from its mark tells less than a tap on the mark.
  const near = labels.filter((one) => one.place && (!narrow || one.place.gap < 30));
  for (const label of near) writeLabel(layer, label);
}

// The front line as a row of marks, so that labels keep off it where they can.
function along(steps) {
  return steps.slice(1).flatMap(([a, b], number) => {
    const [fromA, fromB] = steps[number];
    return Array.from({ length: 12 }, (_, part) => [fromA + (a - fromA) * part / 12, fromB + (b - fromB) * part / 12]);
  });
}

function writeLabel(layer, { point, text, size, x, y, width, height, place }) {
  if (place.gap > 11) {
    const nearX = Math.max(place.x - width / 2, Math.min(x, place.x + width / 2));
    const nearY = Math.max(place.y - height / 2, Math.min(y, place.y + height / 2));
    segment(layer, x, y, nearX, nearY, "leader");
  }
  const kind = point.front === 1 ? "halo" : "halo minor";
  const made = write(layer, place.x, place.y + size * 0.35, text, { class: kind, "text-anchor": "middle" });
  made.style.fontSize = `${size}px`;
}
