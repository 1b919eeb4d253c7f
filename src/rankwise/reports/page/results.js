// The table of results with its figures: methods down, data sets and measures across.

const ordering = { column: null, descending: true };

function showResults() {
  const columns = data.columns.filter((column) => isChosen(data, chosen, column));
  columns.sort((a, b) => a.measure - b.measure || a.dataset - b.dataset);
  const cells = columns.map((column) => {
    const values = new Map(column.methods.map((method, place) => [method, column.values[place]]));
    return { column, values, best: bestTwo(column.values, data.lowerIsBetter[column.measure]) };
  });
  headResults(columns);
  const rows = searched();
  const at = cells.find((one) => columnKey(one.column) === ordering.column);
  if (at) rows.sort(byColumn(at));
  fillRows(find("results-table"), rows, (row) => resultsRow(row, cells), Math.max(20, Math.floor(6000 / (cells.length || 1))));
  const filled = cells.reduce((sum, one) => sum + rows.filter((row) => one.values.has(row.index)).length, 0);
  const share = rows.length && cells.length ? Math.round(100 * filled / (rows.length * cells.length)) : 0;
  find("results-caption").textContent = `Four decimals; the best of each column is bold, the second underlined; a hatched field has no result (${share} % are filled). Sort by any column; the table scrolls to the side.`;
}

function columnKey(column) {
  return `${column.dataset} ${column.measure}`;
}

function byColumn({ column, values }) {
  const way = (ordering.descending ? -1 : 1) * (data.lowerIsBetter[column.measure] ? -1 : 1);
  return (a, b) => {
    const [left, right] = [values.get(a.index), values.get(b.index)];
    if (left === undefined || right === undefined) return (left === undefined) - (right === undefined) || a.rank - b.rank;
    return way * (left - right) || a.rank - b.rank;
  };
}

// The best value and the second best, by the four decimals that are shown.
function bestTwo(values, lower) {
  const known = [...new Set(values.map((value) => value.toFixed(4)))].map(Number);
  known.sort((a, b) => (lower ? a - b : b - a));
  return known.slice(0, 2);
}

function headResults(columns) {
  const groups = [];
  for (const column of columns) {
    const last = groups.at(-1);
    if (last?.measure === column.measure) last.size += 1;
    else groups.push({ measure: column.measure, size: 1 });
  }
  const top = groups.map((group) => element("th", { scope: "colgroup", colspan: group.size, class: "plain group" }, data.measures[group.measure]));
  const names = columns.map((column) => {
    const sorted = ordering.column === columnKey(column);
    const button = element("button", { type: "button", title: `${data.datasets[column.dataset].name}, ${data.measures[column.measure]}` }, data.datasets[column.dataset].short);
    button.addEventListener("click", () => {
      ordering.descending = sorted ? !ordering.descending : true;
      ordering.column = columnKey(column);
      showResults();
      find("results-table").tHead.rows[1].cells[columns.indexOf(column)].querySelector("button").focus();
    });
    const cell = element("th", { scope: "col", class: "number" }, button);
    if (sorted) cell.setAttribute("aria-sort", ordering.descending ? "descending" : "ascending");
    return cell;
  });
  const corner = element("th", { scope: "col", rowspan: 2, class: "plain corner" }, "Method");
  find("results-table").tHead.replaceChildren(element("tr", {}, corner, ...top), element("tr", { class: "second" }, ...names));
}

function resultsRow(row, cells) {
  const made = cells.map(({ values, best }) => {
    const value = values.get(row.index);
    if (value === undefined) return element("td", { class: "missing" }, element("span", { class: "unseen" }, "no result"));
    const text = value.toFixed(4), place = best.indexOf(Number(text));
    const shownValue = place === 0 ? element("strong", {}, text) : place === 1 ? element("u", {}, text) : text;
    return element("td", { class: "number" }, shownValue);
  });
  return element("tr", {}, nameCell(row), ...made);
}
