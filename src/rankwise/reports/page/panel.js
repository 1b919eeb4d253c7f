// A method's own panel: its standing, its citation, and every result with its source.

function openPanel(name) {
  const method = data.methods.indexOf(name);
  if (method < 0) return;
  find("panel-title").textContent = name;
  const parts = [citationOf(method), factsOf(method), resultsOf(method)];
  find("panel-body").replaceChildren(...parts.filter(Boolean));
  find("tip").hidden = true;
  find("panel").showModal();
  find("panel").scrollTop = 0;
}

function citationOf(method) {
  const citation = data.citations[method];
  return citation ? element("p", { class: "caption" }, citation) : null;
}

function factsOf(method) {
  const row = ranked.find((one) => one.index === method);
  if (!row) return element("p", {}, "With what is chosen now, this method has no result that can be compared.");
  const facts = [
    ["Rank", `${row.rank} of ${ranked.length}`],
    ["NWN", row.nwn.toFixed(4)],
    ["Wins", `${row.wn} of ${row.iwn}`],
    ["Results", row.datasets],
    ["Front", frontText(row.front) || "no"],
  ];
  const interval = data.intervals?.methods[data.methods[method]];
  if (interval) {
    const [low, high, front, warning] = interval;
    const bounds = low === null ? "none" : `${low.toFixed(3)} – ${high.toFixed(3)}`;
    facts.push([data.intervals.title, warning === null ? bounds : `${bounds} (${warning})`]);
    if (front !== null) facts.push(["On the front", `${(front * 100).toFixed(0)} % of resamples`]);
  }
  const list = element("dl", { class: "facts" });
  for (const [term, text] of facts) list.append(element("div", {}, element("dt", {}, term), element("dd", {}, text)));
  return list;
}

function resultsOf(method) {
  const rows = [];
  for (const column of data.columns) {
    const position = column.methods.indexOf(method);
    if (position >= 0) rows.push(resultRow(column, position));
  }
  const heads = ["Data set", "Measure", "Value", "Place", "Source"];
  const head = element("tr", {}, ...heads.map((title, number) => (
    element("th", { scope: "col", class: number === 2 || number === 3 ? "plain number" : "plain" }, title)
  )));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return element("div", {}, element("h3", {}, `All ${rows.length} results`), element("div", { class: "scroll", tabindex: "0" }, table));
}

function resultRow(column, position) {
  return element("tr", {},
    element("th", { scope: "row" }, data.datasets[column.dataset].name),
    element("td", {}, data.measures[column.measure]),
    element("td", { class: "number" }, column.values[position]),
    element("td", { class: "number" }, `${column.losses[position] + 1} of ${column.methods.length}`),
    element("td", { class: "source" }, data.sources[column.sources[position]]));
}

start();
