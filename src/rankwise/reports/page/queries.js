// One data set query by query: means, paired differences, two methods, the queries in dispute.

const asked = { table: 0, measure: null, baseline: null, other: null };
const LEVEL = 0.05, MOST_DISPUTED = 20, MOST_NAMED = 6, MOST_DOTS = 4000;
const TOLD_APART = [[1, `Holm's p < ${LEVEL}`], [0, "not told apart"]];

function startQueries() {
  if (!data.queries.length) return;
  find("queries").hidden = false;
  watchChoice("query-dataset", (value) => { asked.table = value; asked.measure = asked.baseline = asked.other = null; });
  watchChoice("query-measure", (value) => { asked.measure = value; });
  watchChoice("query-baseline", (value) => { asked.baseline = value; });
  watchChoice("query-other", (value) => { asked.other = value; });
}

function watchChoice(id, keep) {
  find(id).addEventListener("change", (event) => { keep(Number(event.target.value)); showQueries(); });
}

function offer(id, names, keys, current, label = null) {
  const options = keys.map((key, place) => {
    const option = element("option", { value: key }, shown(names[place]));
    option.selected = key === current;
    return option;
  });
  find(id).replaceChildren(...options);
  (label ?? find(id).parentElement).hidden = keys.length < 2;
}

function showQueries() {
  if (!data.queries.length) return;
  const tables = [...data.queries.keys()].filter((number) => chosen.collections.has(data.queries[number].collection));
  if (!tables.includes(asked.table)) asked.table = tables[0] ?? 0;
  const table = data.queries[asked.table];
  const there = table.measures.filter((one) => chosen.measures.has(one.measure));
  const reason = !tables.length ? "No data set of the chosen collections has values per query."
    : chosen.origin === "published" ? "Values per query are known of your own methods only."
      : !there.length ? "The chosen measures have no values per query." : "";
  find("query-reason").textContent = reason;
  find("query-figures").hidden = find("query-choice").hidden = reason !== "";
  if (reason) return;
  const measure = there.find((one) => one.measure === asked.measure) ?? there.find((one) => one.measure === table.main) ?? there[0];
  asked.measure = measure.measure;
  asked.baseline ??= table.baseline;
  if (asked.other === null || asked.other === asked.baseline) asked.other = bestOther(table, measure);
  const all = [...table.methods.keys()];
  offer("query-dataset", tables.map((number) => data.queries[number].dataset), tables, asked.table);
  offer("query-measure", there.map((one) => data.measures[one.measure]), there.map((one) => one.measure), asked.measure);
  offer("query-baseline", table.methods, all, asked.baseline);
  const others = all.filter((number) => number !== asked.baseline);
  offer("query-other", others.map((number) => table.methods[number]), others, asked.other);
  drawQueries(table, measure);
}

function bestOther(table, measure) {
  const others = [...table.methods.keys()].filter((number) => number !== asked.baseline);
  return others.sort(byMean(measure))[0];
}

function byMean(measure) {
  const way = data.lowerIsBetter[measure.measure] ? 1 : -1;
  return (a, b) => way * (measure.means[a][0] - measure.means[b][0]) || a - b;
}

function drawQueries(table, measure) {
  const width = Math.max(280, find("query-figures").clientWidth);
  const half = width > 900 ? Math.floor((width - 32) / 2) : width;
  const figures = [
    [meansFigure(table, measure), half], [differencesFigure(table, measure), half],
    [scatterFigure(table, measure), half], [disputedFigure(table, measure), half],
  ];
  const parts = figures.map(([figure, room]) => figurePart(figure, room, figure.kind === "Bars" ? openPanel : null, "h3"));
  find("query-figures").replaceChildren(...parts);
}

function meansFigure(table, measure) {
  const name = data.measures[measure.measure], order = [...table.methods.keys()].sort(byMean(measure));
  const bars = order.map((number) => {
    const [value, low, high] = measure.means[number];
    const between = low === null ? "" : `, 95 % interval ${low.toFixed(4)} to ${high.toFixed(4)}`;
    return { name: table.methods[number], value, low, high, front: 1, own: false, note: value.toFixed(4), detail: `${name} ${value.toFixed(4)}${between}` };
  });
  return {
    kind: "Bars", name: "means", title: `${name} on ${table.dataset}`, bars, reference: null, meanings: [],
    axis: { title: name, ...around95(bars, measure.bounds) },
    caption: `Mean over ${measure.count} queries, by the tool ${table.tool}, with its 95 % interval over the queries. Intervals are of each method alone: two that overlap may still differ for sure, see the paired differences.`,
  };
}

// Around all values and intervals, within the range of the measure.
function around95(bars, bounds) {
  const ends = bars.flatMap((bar) => [bar.value, bar.low, bar.high]).filter((end) => end !== null);
  const low = Math.min(...ends), high = Math.max(...ends), margin = 0.06 * (high - low) || 0.05;
  return { low: Math.max(bounds[0] ?? -Infinity, low - margin), high: Math.min(bounds[1] ?? Infinity, high + margin) };
}

// The difference of a method to the baseline, from the one that is kept of each pair.
function differenceTo(table, measure, baseline, method) {
  const [first, second] = [Math.min(baseline, method), Math.max(baseline, method)], count = table.methods.length;
  const [difference, low, high, p, wins, losses] = measure.differences[first * count - first * (first + 1) / 2 + second - first - 1];
  if (method === second) return { method, difference, low, high, p, wins, losses };
  return { method, difference: -difference, low: high === null ? null : -high, high: low === null ? null : -low, p, wins: losses, losses: wins };
}

// Holm (1979): p-values in rising order times the number of those not yet passed, never falling.
function adjust(found) {
  let most = 0;
  [...found].sort((a, b) => a.p - b.p).forEach((one, place) => {
    most = Math.max(most, Math.min(1, one.p * (found.length - place)));
    one.adjusted = most;
  });
  return found;
}

function pText(p) {
  return p < 0.0001 ? "p < 0.0001" : `p = ${p.toFixed(4)}`;
}

function signed(value) {
  return `${value < 0 ? "" : "+"}${value.toFixed(4)}`;
}

function differencesFigure(table, measure) {
  const name = data.measures[measure.measure], baseline = table.methods[asked.baseline];
  const others = [...table.methods.keys()].filter((number) => number !== asked.baseline);
  const found = adjust(others.map((number) => differenceTo(table, measure, asked.baseline, number)));
  const lower = data.lowerIsBetter[measure.measure], way = lower ? 1 : -1;
  found.sort((a, b) => way * (a.difference - b.difference));
  const bars = found.map((one) => {
    const [better, worse] = lower ? [one.losses, one.wins] : [one.wins, one.losses];
    const between = one.low === null ? "" : `, 95 % interval ${signed(one.low)} to ${signed(one.high)}`;
    return {
      name: table.methods[one.method], value: one.difference, low: one.low, high: one.high,
      front: one.adjusted < LEVEL ? 1 : 0, own: false, note: pText(one.adjusted),
      detail: `${signed(one.difference)} against ${baseline}${between}, ${pText(one.adjusted)} (Holm); better on ${better}, level on ${measure.count - better - worse}, worse on ${worse}`,
    };
  });
  const reach = Math.max(...bars.flatMap((bar) => [bar.value, bar.low ?? 0, bar.high ?? 0]).map(Math.abs)) || 0.01;
  return {
    kind: "Bars", name: "differences", title: `Differences to ${shown(baseline)} in ${name}`, bars, reference: 0, meanings: TOLD_APART,
    axis: { title: `Difference in ${name}`, low: -reach, high: reach },
    caption: `Paired by query, with 95 % intervals; right of the line is ${lower ? "worse" : "better"}. p is of the two-sided paired t-test, adjusted by Holm's procedure for ${bars.length} comparison${bars.length > 1 ? "s" : ""} (intervals are not); filled where p < ${LEVEL}.`,
  };
}

function scatterFigure(table, measure) {
  const name = data.measures[measure.measure], [first, second] = [asked.baseline, asked.other];
  const [xs, ys] = [measure.values[first], measure.values[second]], step = Math.ceil(xs.length / MOST_DOTS);
  const known = [...xs.keys()].filter((query) => xs[query] !== null && ys[query] !== null);
  const apartness = (query) => Math.round(Math.abs(ys[query] - xs[query]) * 1e4);
  const apart = [...known].sort((a, b) => apartness(b) - apartness(a) || a - b).slice(0, MOST_NAMED);
  const named = new Set(apart.filter((query) => ys[query] !== xs[query]));
  const drawn = known.filter((query, place) => place % step === 0 || named.has(query));
  const points = drawn.map((query) => ({ name: table.queries[query], x: xs[query], y: ys[query], labelled: named.has(query) }));
  const one = differenceTo(table, measure, first, second), lower = data.lowerIsBetter[measure.measure];
  const [better, worse] = lower ? [one.losses, one.wins] : [one.wins, one.losses];
  const part = table.every * step > 1 ? ` Drawn is every ${table.every * step}th query.` : "";
  const [low, high] = measure.range, names = [table.methods[first], table.methods[second]];
  return {
    kind: "QueryScatter", name: "queries", title: `${shown(names[1])} against ${shown(names[0])}`, points,
    x: { title: `${name}, ${shown(names[0])}`, low, high }, y: { title: `${name}, ${shown(names[1])}`, low, high },
    caption: `${name} query by query: ${shown(names[1])} is better on ${better}, ${shown(names[0])} on ${worse}, and ${measure.count - better - worse} are level, on the diagonal. Named are the queries on which the two differ most.${part}`,
  };
}

function disputedFigure(table, measure) {
  const name = data.measures[measure.measure], order = [...table.methods.keys()].sort(byMean(measure));
  const reach = (query) => {
    const there = measure.values.map((row) => row[query]);
    return there.includes(null) ? 0 : Math.round((Math.max(...there) - Math.min(...there)) * 1e4);
  };
  const reaches = table.queries.map((_, query) => reach(query));
  const widestFirst = [...reaches.keys()].filter((query) => reaches[query] > 0).sort((a, b) => reaches[b] - reaches[a] || a - b);
  const queries = widestFirst.slice(0, MOST_DISPUTED), high = measure.range[1] || 1;
  const cells = queries.flatMap((query, row) => order.map((method, column) => {
    const value = measure.values[method][query];
    return { row, column, shade: Math.max(0, Math.min(1, value / high)), text: value.toFixed(3).replace(/^(-?)0\./, "$1.") };
  }));
  return {
    kind: "HeatMap", name: "disputed", title: "Queries on which methods differ most",
    scale: high === 1 ? name : `${name} as a share of ${tickText(high)}`,
    rows: queries.map((query) => `query ${table.queries[query]}`), columns: order.map((number) => ({ group: name, name: table.methods[number] })), cells,
    caption: `${name} of the ${queries.length} queries with the widest range between methods, widest first; methods from the best to the worst mean.${table.every > 1 ? ` Looked at is every ${table.every}th query.` : ""}`,
  };
}

function drawQueryScatter(figure, width) {
  const side = Math.min(width, 520), svg = canvas(side, side, figure.title);
  const box = { left: 50, right: side - 10, top: 6, bottom: side - 42 };
  const x = scale(figure.x.low, figure.x.high, box.left + 8, box.right - 16), y = scale(figure.y.low, figure.y.high, box.bottom - 8, box.top + 16);
  drawAxes(svg, box, x, y, figure.x, figure.y);
  segment(svg, x(figure.x.low), y(figure.x.low), x(figure.x.high), y(figure.x.high), "axis");
  const radius = figure.points.length > 300 ? 2.6 : 3.6;
  for (const point of figure.points) {
    const made = shape("circle", { cx: x(point.x), cy: y(point.y), r: radius, class: "query" });
    svg.append(withTip(made, `query ${point.name}\n${figure.x.title} ${point.x.toFixed(4)}\n${figure.y.title} ${point.y.toFixed(4)}`));
  }
  const layer = svg.appendChild(shape("g", { class: "labels", "aria-hidden": "true" }));
  const place = (point) => ({ x: x(point.x), y: y(point.y), weight: 1 });
  const labels = figure.points.filter((point) => point.labelled).map((point) => {
    const text = shown(`query ${point.name}`, 24);
    return { text, size: 11, kind: "halo minor", ...place(point), width: textWidth(text, 11) + 5, height: 14 };
  });
  const others = figure.points.filter((point) => !point.labelled).map(place);
  placeLabels(labels, others, box, 4);
  for (const label of labels.filter((one) => one.place)) writeLabel(layer, label, [...labels, ...others]);
  return element("div", {}, svg);
}
