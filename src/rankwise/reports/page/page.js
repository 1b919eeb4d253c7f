// The page itself: what is chosen, the plane, the ranking, the figures.

const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const collections = [...new Set(data.datasets.map((dataset) => dataset.collection))];
const own = new Set(data.own);
const chosen = {
  measures: new Set(data.measures.keys()),
  collections: new Set(collections),
  origin: "all",
};
const sorting = { key: "rank", descending: false };
let ranked = [], marksByName = new Map(), lit = null;

const HEADINGS = [
  { key: "rank", title: "#", number: true, text: (row) => row.rank },
  { key: "name", title: "Method" },
  { key: "nwn", title: "NWN", number: true, falling: true, text: (row) => row.nwn.toFixed(4), about: "Normalized Winning Number" },
  { key: "front", title: "Front" },
  { key: "wn", title: "WN", number: true, falling: true, text: (row) => row.wn, about: "Winning Number" },
  { key: "iwn", title: "IWN", number: true, falling: true, text: (row) => row.iwn, about: "Ideal Winning Number" },
  { key: "datasets", title: "Results", number: true, falling: true, text: (row) => row.datasets, about: "Results compared: data sets, or data sets by measures" },
];

function start() {
  watchTheme();
  watchTips(find("tip"));
  tell();
  choiceButtons(find("measures"), data.measures, [...data.measures.keys()], chosen.measures);
  choiceButtons(find("collections"), collections.map((name) => name || "(none)"), collections, chosen.collections);
  originButtons(find("origins"));
  find("choice").hidden = find("measures").hidden && find("collections").hidden && find("origins").hidden;
  makeHead();
  startQueries();
  find("plane-section").hidden = !data.plane;
  find("find").addEventListener("input", () => { showTable(); showResults(); });
  find("close").addEventListener("click", () => find("panel").close());
  find("panel").addEventListener("click", (event) => {
    if (event.target === find("panel")) find("panel").close();
  });
  find("methods").addEventListener("pointerover", (event) => light(event.target.closest("tr")?.dataset.method));
  find("methods").addEventListener("pointerleave", () => light(null));
  find("plane-section").querySelector(".section-head").append(saveButton("accuracy-against-certainty", () => find("plane").querySelector("svg")));
  showFigures();
  update();
  showSources();
  watchWidth();
}

function tell() {
  find("findings").replaceChildren(...data.findings.map((sentence) => element("p", {}, sentence)));
  find("made").textContent = data.made;
}

// "All" and one button a choice: a press chooses it alone, and pressed again gives all back.
function choiceButtons(home, titles, keys, selected) {
  const all = element("button", { type: "button" }, "All");
  const buttons = keys.map((key, number) => element("button", { type: "button" }, titles[number]));
  const mark = () => {
    const every = selected.size === keys.length;
    all.setAttribute("aria-pressed", every);
    buttons.forEach((button, number) => button.setAttribute("aria-pressed", !every && selected.has(keys[number])));
  };
  const choose = (wanted) => {
    selected.clear();
    wanted.forEach((key) => selected.add(key));
    mark();
    update();
  };
  all.addEventListener("click", () => choose(keys));
  buttons.forEach((button, number) => button.addEventListener("click", () => {
    const every = selected.size === keys.length, key = keys[number];
    const rest = keys.filter((one) => selected.has(one) !== (one === key));
    choose(every ? [key] : rest.length ? rest : keys);
  }));
  mark();
  home.append(all, ...buttons);
  home.hidden = keys.length < 2;
}

// Whose methods are shown; what they win is counted against all.
function originButtons(home) {
  home.hidden = own.size === 0;
  const kinds = [["all", "All"], ["own", `Yours (${own.size})`], ["published", `Published (${data.methods.length - own.size})`]];
  const buttons = kinds.map(([kind, title]) => {
    const button = element("button", { type: "button", "aria-pressed": kind === chosen.origin }, title);
    button.addEventListener("click", () => {
      chosen.origin = kind;
      buttons.forEach((one, place) => one.setAttribute("aria-pressed", kinds[place][0] === kind));
      update();
    });
    return button;
  });
  home.append(...buttons);
}

function isShown(index) {
  return chosen.origin === "all" || (chosen.origin === "own") === own.has(index);
}

function isEverything() {
  return chosen.measures.size === data.measures.length && chosen.collections.size === collections.length && chosen.origin === "all";
}

function update() {
  ranked = standings(data, chosen);
  showPlane();
  showTable();
  showResults();
  showQueries();
  followChoice();
}

function showPlane() {
  if (!data.plane) return;
  const there = ranked.filter((row) => isShown(row.index));
  if (!there.length) {
    find("plane-caption").textContent = "With what is chosen, no two methods have results that can be compared.";
    find("plane").replaceChildren();
    return;
  }
  const single = chosen.measures.size === 1, key = single ? "datasets" : "iwn";
  const title = single ? "Number of data sets" : "Ideal Winning Number";
  const points = there.map((row) => ({
    name: row.name,
    x: row[key],
    y: row.nwn,
    front: row.front,
    own: own.has(row.index),
    labelled: there.length <= data.few || row.front > 0 || data.baselines.includes(row.name) || (own.has(row.index) && own.size <= data.mostOwnNamed),
    detail: `NWN ${row.nwn.toFixed(4)}, ${row.wn} of ${row.iwn} wins, ${row.datasets} results`,
  }));
  const all = points.map((point) => point.x), least = Math.min(...all), most = Math.max(1, ...all);
  const alike = least === most;
  if (alike && points.length <= data.mostListed) {
    showAlike(points, title, most);
    return;
  }
  // Equally tested methods stand in the middle, with room for their names on both sides.
  const start = alike ? most - 1 : least > most / 2 ? Math.max(0, Math.floor(least - Math.max(1, 0.2 * (most - least)))) : 0;
  const figure = {
    title: `Normalized Winning Number against ${title}`,
    x: { title, low: start, high: alike ? most + 1 : most, whole: true },
    y: { title: "Normalized Winning Number", low: 0, high: 1 },
    points,
  };
  find("plane-caption").textContent = `Each mark is a method: higher is more accurate, further right is better tested (${title}). Press a mark for all its results.`;
  find("plane").replaceChildren(drawScatter(figure, find("plane").clientWidth, openPanel));
  rememberMarks();
}

// Equally tested methods would be one upright line: they stand one under the other.
function showAlike(points, title, most) {
  const figure = {
    title: "Normalized Winning Number", reference: null, meanings: MEANINGS,
    axis: { title: "Normalized Winning Number", low: 0, high: 1 },
    bars: points.map((point) => ({ ...point, value: point.y, low: null, high: null, note: point.y.toFixed(4) })),
  };
  find("plane-caption").textContent = `All methods are equally tested here (${title} ${most}); the best stands on top. Press a mark for all its results.`;
  find("plane").replaceChildren(drawBars(figure, find("plane").clientWidth, openPanel));
  rememberMarks();
}

function rememberMarks() {
  marksByName = new Map([...find("plane").querySelectorAll("[data-method]")].map((made) => [made.dataset.method, made]));
}

function makeHead() {
  const cells = HEADINGS.map((heading) => {
    const button = element("button", { type: "button", title: heading.about }, heading.title);
    button.addEventListener("click", () => {
      const again = sorting.key === heading.key;
      sorting.descending = again ? !sorting.descending : Boolean(heading.falling);
      sorting.key = heading.key;
      showTable();
    });
    return element("th", { scope: "col", class: heading.number ? "number" : null, "data-key": heading.key }, button);
  });
  find("methods").tHead.replaceChildren(element("tr", {}, ...cells));
}

function counted(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function searched() {
  const wanted = find("find").value.trim().toLocaleLowerCase();
  return ranked.filter((row) => isShown(row.index) && row.name.toLocaleLowerCase().includes(wanted));
}

function showTable() {
  for (const cell of find("methods").tHead.rows[0].cells) {
    const sorted = cell.dataset.key === sorting.key;
    if (sorted) cell.setAttribute("aria-sort", sorting.descending ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  }
  const rows = searched().sort(bySorting);
  fillRows(find("methods"), rows, tableRow, 300);
  const found = new Set(rows.map((row) => row.name));
  for (const [name, drawn] of marksByName) drawn.classList.toggle("faded", !found.has(name));
  const there = ranked.filter((row) => isShown(row.index)).length, hidden = there - rows.length;
  const more = hidden ? `, ${counted(hidden)} hidden by the search` : "";
  const whose = chosen.origin === "all" ? "" : `; counted against all ${counted(ranked.length)}`;
  const alone = data.plane ? "" : " On one data set winning numbers tell the order, not how sure it is.";
  find("status").textContent = `${counted(rows.length)} methods${more}; ${rows.filter((row) => row.front === 1).length} on the Pareto front${whose}.${alone}`;
}

// As many rows as a look needs; further ones come when the reader scrolls to the last, or asks.
function fillRows(table, rows, make, some) {
  const body = table.tBodies[0], scroller = table.parentElement, more = scroller.nextElementSibling;
  let shownRows = 0;
  const add = (count) => {
    body.append(...rows.slice(shownRows, shownRows + count).map(make));
    shownRows = Math.min(rows.length, shownRows + count);
    more.hidden = shownRows >= rows.length;
    more.textContent = `Show all ${counted(rows.length)} rows`;
  };
  body.replaceChildren();
  add(some);
  more.onclick = () => add(rows.length);
  scroller.onscroll = () => {
    if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 400 && shownRows < rows.length) add(some);
  };
}

function bySorting(a, b) {
  const way = sorting.descending ? -1 : 1;
  if (sorting.key === "name") return way * compareText(a.name, b.name);
  const value = (row) => (sorting.key === "front" ? row.front || 3 : row[sorting.key]);
  return way * (value(a) - value(b)) || a.rank - b.rank;
}

function nameCell(row) {
  const button = element("button", { type: "button", class: own.has(row.index) ? "name own" : "name" }, row.name);
  button.addEventListener("click", () => openPanel(row.name));
  return element("th", { scope: "row" }, button);
}

function tableRow(row) {
  const cells = HEADINGS.map((heading) => {
    if (heading.key === "name") return nameCell(row);
    if (heading.key === "front") return element("td", { class: `badge front-${row.front}` }, frontText(row.front));
    return element("td", { class: "number" }, heading.text(row));
  });
  return element("tr", { "data-method": row.name }, ...cells);
}

function frontText(front) {
  return front === 1 ? "● Pareto" : front === 2 ? "◆ rank 2" : "";
}

function light(name) {
  if (lit) lit.classList.remove("lit");
  lit = marksByName.get(name) ?? null;
  if (lit) lit.classList.add("lit");
}

function watchWidth() {
  let width = find("figures").clientWidth, waiting = 0;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (find("figures").clientWidth === width) return;
      width = find("figures").clientWidth;
      showFigures();
      update();
    }, 120);
  }).observe(find("figures"));
}

function watchTheme() {
  const button = find("theme"), root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => {
    button.setAttribute("aria-pressed", isDark());
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; name(); });
  system.addEventListener("change", name);
  name();
}
