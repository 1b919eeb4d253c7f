// Sections of figures with what they say of the choice, sources, and everything to be saved.

const FOLLOWING = "heat-map", MANY = 1000;
let turns = 0;

function figurePart(figure, width, open, heading = "h2", id = `figure-${figure.name}`) {
  const home = element("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": figure.title });
  home.append(DRAWN[figure.kind](figure, width, open));
  const head = element("div", { class: "section-head" }, element(heading, { id }, figure.title), saveButton(figure.name, () => home.querySelector("svg")));
  return element("section", { "aria-labelledby": id, "data-figure": figure.name }, head, element("p", { class: "caption" }, figure.caption), home);
}

function showFigures() {
  const width = Math.max(280, find("figures").clientWidth);
  find("figures").replaceChildren();
  inTurn(data.figures, (figure) => {
    const part = figurePart(figure, width, openerFor(figure));
    if (figure.name !== FOLLOWING) {
      const said = element("p", { class: "caption unchanged" }, "The choice above does not change this figure: it is of all results.");
      said.hidden = isEverything();
      part.querySelector(".caption").after(said);
    }
    find("figures").append(part);
    if (figure.name === FOLLOWING) followChoice();
  });
  if (data.remarks.length) {
    const remarks = data.remarks.map((remark) => element("p", { class: "caption" }, remark));
    find("remarks").replaceChildren(element("section", {}, element("h2", {}, "Left out and not shown"), ...remarks));
  }
}

// At once; of very many methods one after another, so that the reader need not wait for the last.
function inTurn(things, show) {
  if (data.methods.length <= MANY) {
    things.forEach(show);
    return;
  }
  const turn = ++turns;
  const next = (place) => {
    if (place >= things.length || turn !== turns) return;
    show(things[place]);
    setTimeout(next, 0, place + 1);
  };
  setTimeout(next, 0, 0);
}

// The heat map shows what is chosen; of the others it is said that they do not.
function followChoice() {
  const every = isEverything();
  for (const said of find("figures").querySelectorAll(".unchanged")) said.hidden = every;
  const home = find("figures").querySelector(`[data-figure="${FOLLOWING}"] .drawing`);
  const figure = data.figures.find((one) => one.name === FOLLOWING);
  if (home && figure) home.replaceChildren(drawHeatMap(every ? figure : chosenPart(figure)));
}

function chosenPart(figure) {
  const measures = new Set([...chosen.measures].map((number) => data.measures[number]));
  const columns = [...figure.columns.keys()].filter((number) => (
    measures.has(figure.columns[number].group) && chosen.collections.has(figure.columns[number].collection)
  ));
  const rows = [...figure.rows.keys()].filter((number) => isShown(data.methods.indexOf(figure.rows[number])));
  const [column, row] = [columns, rows].map((kept) => new Map(kept.map((number, place) => [number, place])));
  return {
    ...figure,
    columns: columns.map((number) => figure.columns[number]),
    rows: rows.map((number) => figure.rows[number]),
    cells: figure.cells.filter((one) => column.has(one.column) && row.has(one.row))
      .map((one) => ({ ...one, column: column.get(one.column), row: row.get(one.row) })),
  };
}

// Published figures show methods whose single results are not in this page: those have no panel.
function openerFor(figure) {
  const names = (figure.points ?? figure.bars ?? []).map((one) => one.name);
  const known = new Set(data.methods);
  return names.length && names.every((name) => known.has(name)) ? openPanel : null;
}

function showSources() {
  const counts = data.sources.map(() => 0);
  for (const column of data.columns) for (const source of column.sources) counts[source] += 1;
  const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const items = order.map((number) => element("li", {}, `${data.sources[number] || "no source named"}: ${counts[number]} result${counts[number] > 1 ? "s" : ""}`));
  find("source-list").replaceChildren(...items);
  find("source-count").textContent = `${counts.length} source${counts.length > 1 ? "s" : ""}; a method's panel names those of its own results and the paper that it is from.`;
  const saved = [["Results (CSV)", "results.csv", resultsText], ["Ranking (CSV)", "ranking.csv", rankingText]];
  if (data.queries.length) saved.push(["Values per query (CSV)", "queries.csv", queriesText]);
  saved.push(["Everything (JSON)", "report.json", () => find("data").textContent]);
  find("downloads").replaceChildren(...saved.map(([title, name, make]) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => save(name, make()));
    return button;
  }));
}

function commaSeparated(rows) {
  const cell = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? ""));
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

function resultsText() {
  const rows = data.columns.flatMap((column) => column.methods.map((method, place) => {
    const { collection, name } = data.datasets[column.dataset];
    const dataset = collection && name.startsWith(`${collection} `) ? name.slice(collection.length + 1) : name;
    return [collection, dataset, data.methods[method], data.measures[column.measure], column.values[place], data.sources[column.sources[place]]];
  }));
  return commaSeparated([["collection", "dataset", "method", "measure", "value", "source"], ...rows]);
}

function rankingText() {
  const rows = ranked.map((row) => [row.rank, row.name, row.nwn, row.wn, row.iwn, row.datasets, row.front === 1, row.front === 2]);
  return commaSeparated([["rank", "method", "nwn", "wn", "iwn", "results", "pareto", "rank2"], ...rows]);
}

function queriesText() {
  const rows = data.queries.flatMap((table) => table.measures.flatMap((measure) => measure.values.flatMap((values, method) => (
    values.map((value, query) => [table.collection, table.dataset, table.methods[method], data.measures[measure.measure], table.queries[query], value])
  ))));
  return commaSeparated([["collection", "dataset", "method", "measure", "query", "value"], ...rows]);
}

function save(name, text, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

function saveButton(name, get) {
  const button = element("button", { type: "button", class: "save", title: "Save this figure as SVG" }, "SVG");
  button.setAttribute("aria-label", "Save this figure as SVG");
  button.addEventListener("click", () => { if (get()) save(`${name}.svg`, standAlone(get()), "image/svg+xml"); });
  return button;
}

const KEPT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-family", "font-size", "font-weight"];

// The drawing with the colours it has now, since outside of the page there is no style sheet.
function standAlone(svg) {
  const copy = svg.cloneNode(true), from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((made, number) => {
    const style = getComputedStyle(made);
    for (const name of KEPT) to[number].style.setProperty(name, style.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", SVG);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}
