// Values one under the other with their intervals, and bars in groups beside each other.

function drawBars(figure, width, open) {
  const names = figure.bars.map((bar) => bar.name), notes = figure.bars.map((bar) => bar.note ?? "");
  const left = Math.min(width * 0.42, widest(names, 12) + 14), behind = widest(notes, 11);
  const row = 20, right = width - (behind ? behind + 14 : 12);
  const box = { left, right, top: 4, bottom: 8 + figure.bars.length * row };
  const svg = canvas(width, box.bottom + 42, figure.title);
  const { low, high } = figure.axis, x = scale(low, high, left + 8, right - 6);
  const within = (value) => x(Math.max(low, Math.min(high, value)));
  for (const tick of ticks(low, high, Math.max(4, (right - left) / 64), figure.axis.whole)) {
    segment(svg, x(tick), box.top, x(tick), box.bottom, "grid");
    write(svg, x(tick), box.bottom + 16, tickText(tick), { class: "tick", "text-anchor": "middle" });
  }
  if (figure.reference !== null) segment(svg, x(figure.reference), box.top, x(figure.reference), box.bottom, "axis");
  const middle = Math.max(textWidth(figure.axis.title) / 2, Math.min(width - textWidth(figure.axis.title) / 2, (left + right) / 2));
  write(svg, middle, box.bottom + 34, fitted(figure.axis.title, width), { "text-anchor": "middle" });
  const marks = [];
  figure.bars.forEach((bar, number) => {
    const y = box.top + (number + 0.5) * row + 2, own = bar.own ? " own" : "";
    write(svg, left - 8, y + 4, fitted(bar.name, left - 10), { "text-anchor": "end", class: own.trim() || null });
    if (bar.low !== null) segment(svg, within(bar.low), y, within(bar.high), y, `whisker front-${bar.front}${own}`);
    const made = withTip(mark(x(bar.value), y, bar.front, 5, bar.own), `${bar.name}\n${bar.detail}`);
    made.dataset.method = bar.name;
    if (!open) made.classList.add("fixed");
    marks.push(made);
    svg.append(made);
    if (bar.note) write(svg, right + 6, y + 4, bar.note, { class: "minor" });
  });
  if (open) walkMarks(svg, marks, open, figure.bars);
  const fronts = new Set(figure.bars.map((bar) => bar.front));
  return element("div", {}, svg, markKey(fronts, figure.meanings, figure.bars.some((bar) => bar.own)));
}

function drawGroupedBars(figure, width) {
  const many = Math.max(1, figure.series.length), least = 46 + figure.groups.length * (many * 9 + 14);
  const full = Math.max(width, least), height = 300, svg = canvas(full, height, figure.title);
  const box = { left: 46, right: full - 6, top: 8, bottom: height - 26 };
  const y = scale(figure.axis.low, figure.axis.high, box.bottom, box.top + 6);
  for (const tick of ticks(figure.axis.low, figure.axis.high, 6, figure.axis.whole)) {
    segment(svg, box.left, y(tick), box.right, y(tick), "grid");
    write(svg, box.left - 7, y(tick) + 4, tickText(tick), { class: "tick", "text-anchor": "end" });
  }
  const middle = (box.top + box.bottom) / 2;
  write(svg, 12, middle, figure.axis.title, { "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` });
  const room = (box.right - box.left) / figure.groups.length, each = room * 0.84 / many;
  figure.groups.forEach((group, place) => {
    const start = box.left + room * (place + 0.08);
    write(svg, box.left + room * (place + 0.5), box.bottom + 18, fitted(group, room - 4), { "text-anchor": "middle" });
    figure.series.forEach((series, number) => drawGroupedBar(svg, figure, series, place, number, start + number * each, each, y));
  });
  return element("div", {}, svg, seriesKey(figure));
}

function drawGroupedBar(svg, figure, series, place, number, left, each, y) {
  const value = series.values[place], known = series.published[place] ?? null, base = y(figure.axis.low);
  const tip = `${series.name}, ${figure.groups[place]}\n${value === null ? "not run here" : `here ${tickText(value)}`}${known === null ? "" : `, published ${tickText(known)}`}`;
  if (value !== null) {
    const made = shape("rect", { x: left, y: y(value), width: each * 0.92, height: Math.max(0, base - y(value)), class: `series-${number % 10}` });
    svg.append(withTip(made, tip));
  }
  if (known === null) return;
  // A light edge where the line lies inside its bar, far enough from the end to hide none of it.
  const inside = value !== null && known < value - 0.03 * (figure.axis.high - figure.axis.low);
  if (inside) segment(svg, left - 1, y(known), left + each * 0.92 + 1, y(known), "published-under");
  svg.append(withTip(segment(svg, left - 1, y(known), left + each * 0.92 + 1, y(known), "published"), tip));
}

function seriesKey(figure) {
  const key = element("div", { class: "key" });
  figure.series.forEach((series, number) => {
    const sign = shape("svg", { width: 14, height: 12, "aria-hidden": "true" }, shape("rect", { x: 1, y: 1, width: 11, height: 10, class: `series-${number % 10}` }));
    key.append(element("span", {}, sign, shown(series.name)));
  });
  if (figure.series.some((series) => series.published.some((one) => one !== null))) {
    const sign = shape("svg", { width: 16, height: 12, "aria-hidden": "true" });
    segment(sign, 1, 6, 14, 6, "published");
    key.append(element("span", {}, sign, "published"));
  }
  return key;
}
