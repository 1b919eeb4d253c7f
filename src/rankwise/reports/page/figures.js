// The other kinds of figures; each takes the figure's data and the width there is.

const DRAWN = {
  Scatter: drawScatter,
  QueryScatter: drawQueryScatter,
  Bars: drawBars,
  GroupedBars: drawGroupedBars,
  HeatMap: drawHeatMap,
  Matrix: drawMatrix,
  CriticalDifference: drawCriticalDifference,
  Bagplots: drawBagplots,
  Lines: drawLines,
};

function drawHeatMap(figure) {
  const names = figure.columns.map((column) => column.name);
  const left = widest(figure.rows, 11) + 10, top = widest(names, 11) + 30;
  const cell = Math.max(figure.columns.length > 30 ? 15 : 34, roomForGroups(figure.columns)), row = 16;
  const svg = canvas(left + cell * names.length + 8, top + row * figure.rows.length + 4, figure.title);
  hatch(svg, left, top, cell * names.length, row * figure.rows.length);
  writeGroups(svg, figure.columns, left, cell, top);
  names.forEach((name, column) => {
    const x = left + (column + 0.5) * cell + 4;
    write(svg, x, top - 6, shown(name), { class: "minor", transform: `rotate(-90 ${x} ${top - 6})` });
  });
  figure.rows.forEach((name, number) => {
    write(svg, left - 6, top + number * row + 12, shown(name), { class: "minor", "text-anchor": "end" });
    segment(svg, left, top + number * row, left + cell * names.length, top + number * row, "grid");
  });
  for (const one of figure.cells) {
    const column = figure.columns[one.column];
    const tip = `${figure.rows[one.row]}\n${column.name}, ${column.group}: ${one.text}\n${figure.scale} ${one.shade.toFixed(3)}`;
    const made = drawCell(svg, left + one.column * cell, top + one.row * row, cell, row, tip);
    made.style.fill = `color-mix(in oklab, var(--high) ${(one.shade * 100).toFixed(1)}%, var(--low))`;
    if (cell > 30) writeIn(svg, left + (one.column + 0.5) * cell, top + one.row * row + 12, one.text, one.shade > 0.55);
  }
  return element("div", {}, svg, rampKey("sequential", figure.scale));
}

// How wide a column must be for the measures to be read above theirs; many columns need no help.
function roomForGroups(columns) {
  if (columns.length > 12) return 0;
  const sizes = new Map();
  for (const { group } of columns) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return Math.max(0, ...[...sizes].map(([group, size]) => (textWidth(shown(group, 20), 12, 600) + 8) / size));
}

function writeGroups(svg, columns, left, cell, top) {
  let start = 0;
  columns.forEach((column, number) => {
    const next = columns[number + 1];
    if (next && next.group === column.group) return;
    const from = left + start * cell, to = left + (number + 1) * cell;
    segment(svg, from + 2, 18, to - 2, 18, "axis");
    const fits = textWidth(shown(column.group, 20), 12, 600) < to - from;
    write(svg, (from + to) / 2, 13, shown(column.group, fits ? 20 : 1), { "text-anchor": "middle", class: "bold" });
    if (start) segment(svg, from, 18, from, svg.viewBox.baseVal.height, "axis");
    start = number + 1;
  });
}

function drawCell(svg, x, y, width, height, tip) {
  const made = shape("rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, class: "cell" });
  svg.append(withTip(made, tip));
  return made;
}

function writeIn(svg, x, y, text, dark) {
  const made = write(svg, x, y, text, { class: dark ? "small on-high" : "small", "text-anchor": "middle" });
  made.style.pointerEvents = "none";
}

function drawMatrix(figure) {
  const side = widest(figure.names, 11) + 10, cell = 27, count = figure.names.length;
  const svg = canvas(side + cell * count + 8, side + cell * count + 4, figure.title);
  hatch(svg, side, side, cell * count, cell * count);
  figure.names.forEach((name, number) => {
    const middle = side + (number + 0.5) * cell + 4;
    write(svg, side - 6, middle, shown(name), { class: "minor", "text-anchor": "end" });
    write(svg, middle, side - 6, shown(name), { class: "minor", transform: `rotate(-90 ${middle} ${side - 6})` });
  });
  for (const one of figure.cells) {
    const tip = `${figure.names[one.row]} against ${figure.names[one.column]}\n${one.text}`;
    const made = drawCell(svg, side + one.column * cell, side + one.row * cell, cell, cell, tip);
    const away = Math.abs(one.shade - 0.5) * 200, end = one.shade < 0.5 ? "--lose" : "--win";
    made.style.fill = `color-mix(in oklab, var(${end}) ${away.toFixed(1)}%, var(--even))`;
    const share = one.shade.toFixed(2).replace(/^0/, "");
    writeIn(svg, side + (one.column + 0.5) * cell, side + (one.row + 0.5) * cell + 4, share, away > 55);
  }
  return element("div", {}, svg, rampKey("diverging", figure.scale));
}

function drawCriticalDifference(figure, width) {
  const side = widest(figure.names, 12) + 44, count = Math.max(2, figure.names.length);
  const full = Math.max(width, 2 * side + 260), half = Math.ceil(figure.names.length / 2);
  const lanes = lanesOf(figure.groups), top = 78 + 9 * (Math.max(-1, ...lanes) + 1);
  const svg = canvas(full, top + half * 20 + 8, figure.title);
  const x = scale(1, Math.max(count, 1 + figure.difference), side, full - side);
  segment(svg, x(1), 58, x(count), 58, "axis");
  for (let rank = 1; rank <= count; rank += Math.ceil(count / 20)) {
    segment(svg, x(rank), 52, x(rank), 58, "axis");
    write(svg, x(rank), 48, rank, { class: "tick", "text-anchor": "middle" });
  }
  segment(svg, x(1), 22, x(1 + figure.difference), 22, "median");
  write(svg, x(1) , 15, `CD = ${figure.difference.toFixed(2)}`, { class: "small" });
  figure.names.forEach((name, number) => {
    const left = number < half, rank = figure.ranks[number];
    const y = top + 12 + 20 * (left ? number : figure.names.length - 1 - number);
    const edge = left ? side - 8 : full - side + 8, out = left ? -5 : 5;
    svg.append(shape("path", { class: "axis", d: `M${x(rank)} 58V${y}H${edge}` }));
    const made = write(svg, edge + out, y + 4, shown(name), { "text-anchor": left ? "end" : "start" });
    withTip(made, `${name}\naverage rank ${rank.toFixed(3)}`);
  });
  figure.groups.forEach(([first, last], number) => {
    const y = 68 + 9 * lanes[number];
    segment(svg, x(figure.ranks[first]), y, x(figure.ranks[last]), y, "group");
  });
  return svg;
}

function lanesOf(groups) {
  const ends = [];
  return groups.map(([first, last]) => {
    const free = ends.findIndex((end) => end < first), lane = free < 0 ? ends.length : free;
    ends[lane] = last;
    return lane;
  });
}

function drawBagplots(figure, width) {
  const across = Math.max(1, Math.min(3, Math.floor(width / 300)));
  const each = Math.floor(width / across) - 8;
  const panels = figure.panels.map((panel) => drawBagplot(figure, panel, each));
  return element("div", { class: "panels" }, ...panels);
}

function drawBagplot(figure, panel, width) {
  const height = 270, svg = canvas(width, height, `${figure.title}: ${panel.name}`);
  const box = { left: 56, right: width - 22, top: 28, bottom: height - 42 };
  const all = [...panel.points.map((point) => [point.x, point.y]), ...panel.bag, ...panel.loop];
  const [xs, ys] = [0, 1].map((axis) => padded(all.map((place) => place[axis])));
  // A winning number ends at 1.
  ys[1] = Math.min(ys[1], 1);
  const x = scale(...xs, box.left, box.right), y = scale(...ys, box.bottom, box.top);
  write(svg, box.left, 16, fitted(panel.name, (width - box.left) * 0.92), { class: "bold" });
  drawAxes(svg, box, x, y, { title: figure.x_title, low: xs[0], high: xs[1] }, { title: figure.y_title, low: ys[0], high: ys[1] });
  for (const [outline, kind] of [[panel.loop, "loop"], [panel.bag, "bag"]]) {
    svg.append(shape("polygon", { points: outline.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), class: kind }));
  }
  for (const point of panel.points) {
    const made = mark(x(point.x), y(point.y), point.outlier ? 2 : 0, point.outlier ? 4 : 3);
    made.classList.add("fixed");
    const where = `${figure.x_title} ${tickText(point.x)}, ${figure.y_title} ${point.y.toFixed(4)}`;
    svg.append(withTip(made, `${panel.name} without ${point.name}\n${where}`));
  }
  const [mx, my] = [x(panel.median[0]), y(panel.median[1])];
  segment(svg, mx - 6, my, mx + 6, my, "median");
  segment(svg, mx, my - 6, mx, my + 6, "median");
  return svg;
}

function padded(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const margin = (high - low) * 0.08 || Math.abs(high) * 0.05 || 0.05;
  return [low - margin, high + margin];
}

// Lines over one axis; those with a name in colours, the rest in grey.
function drawLines(figure, width) {
  const height = 320, svg = canvas(width, height, figure.title);
  const named = figure.lines.filter((line) => line.labelled).map((line) => line.name);
  const side = Math.min(width * 0.4, widest(named, 11) + 14);
  const box = { left: 56, right: width - side, top: 8, bottom: height - 42 };
  const x = scale(figure.x.low, figure.x.high, box.left + 6, box.right - 6);
  const y = scale(figure.y.low, figure.y.high, box.bottom - 6, box.top + 6);
  drawAxes(svg, box, x, y, figure.x, figure.y);
  figure.lines.forEach((line) => {
    const place = named.indexOf(line.name), kind = line.labelled ? "line" : "line other";
    const made = shape("polyline", { points: line.points.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), class: kind });
    if (line.labelled) made.style.stroke = lineColour(place);
    svg.append(withTip(made, line.name));
  });
  writeEnds(svg, figure.lines.filter((line) => line.labelled), y, box);
  return svg;
}

// Names at the heights where their lines end, moved apart where several end together.
function writeEnds(svg, lines, y, box) {
  const ends = lines.map((line, place) => ({ line, place, y: y(line.points.at(-1)[1]) }));
  let free = box.top + 4;
  for (const end of ends.sort((a, b) => a.y - b.y)) {
    free = Math.max(free, end.y);
    const made = write(svg, box.right + 6, free + 4, shown(end.line.name, 24), { class: "minor" });
    made.style.fill = lineColour(end.place);
    free += 13;
  }
}

function lineColour(place) {
  return ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#3A9BD9", "currentColor"][place % 7];
}
