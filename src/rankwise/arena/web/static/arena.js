// What gets better with a script; every page works without this file.
"use strict";

const root = document.documentElement;
const THEME = "rankwise-theme";

function remembered() {
  try { return localStorage.getItem(THEME); } catch { return null; }
}

function remember(theme) {
  try { localStorage.setItem(THEME, theme); } catch { /* a browser that keeps nothing */ }
}

function offerThemes() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = remembered();
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  const button = document.getElementById("theme");
  if (!button) return;
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { button.textContent = isDark() ? "Light colours" : "Dark colours"; };
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    name();
  });
  system.addEventListener("change", name);
  name();
}

// Choosing a measure or a tool is asking for it; the button stays for those without a script.
function submitOnChoice() {
  for (const form of document.querySelectorAll("form[data-at-once]")) {
    for (const field of form.querySelectorAll("select")) {
      field.addEventListener("change", () => form.requestSubmit());
    }
  }
}

function makeSortable() {
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (!head.hasAttribute("data-sort")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(table, heads, head, column));
    });
  }
}

function sortBy(table, heads, head, column) {
  const numeric = head.dataset.sort === "number";
  const now = head.getAttribute("aria-sort");
  const down = now ? now === "ascending" : numeric;
  for (const one of heads) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const read = (row) => {
    const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent.trim();
    return numeric ? (text === "" || Number.isNaN(Number(text)) ? -Infinity : Number(text)) : text.toLowerCase();
  };
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  for (const body of table.tBodies) {
    const rows = [...body.rows].map((row, place) => ({ row, place, key: read(row) }));
    rows.sort((a, b) => compare(a.key, b.key) * (down ? -1 : 1) || a.place - b.place);
    body.append(...rows.map((one) => one.row));
  }
}

// Two ticked entries can be compared; a third one lets the first go.
function compareTwo() {
  for (const form of document.querySelectorAll("form[data-two]")) {
    const chosen = [];
    form.addEventListener("change", (event) => {
      const box = event.target;
      if (box.type !== "checkbox") return;
      if (box.checked) chosen.push(box); else chosen.splice(chosen.indexOf(box), 1);
      if (chosen.length > 2) chosen.shift().checked = false;
    });
  }
}

// A file that is too large is told before it is sent.
function checkSizes() {
  for (const input of document.querySelectorAll("input[type=file][data-largest]")) {
    const largest = Number(input.dataset.largest);
    input.addEventListener("change", () => {
      const size = [...input.files].reduce((sum, file) => sum + file.size, 0);
      const wrong = size > largest ? `The files have ${size.toLocaleString("en")} bytes, at most ${largest.toLocaleString("en")} can be sent.` : "";
      input.setCustomValidity(wrong);
      if (wrong) input.reportValidity();
    });
  }
}

function keepFresh() {
  const main = document.querySelector("main[data-refresh]");
  if (!main) return;
  const every = Number(main.dataset.refresh) * 1000;
  const refresh = async () => {
    if (!document.hidden && !main.contains(document.activeElement?.closest("form, details, .scroll"))) {
      try {
        const answer = await fetch(location.href, { headers: { accept: "text/html" } });
        if (answer.ok) {
          const made = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
          if (made) { main.replaceChildren(...made.childNodes); makeSortable(); submitOnChoice(); }
        }
      } catch { /* the next time may work */ }
    }
    setTimeout(refresh, every);
  };
  setTimeout(refresh, every);
}

function copyTokens() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
      button.textContent = "Copied";
    });
  }
}

offerThemes();
submitOnChoice();
makeSortable();
compareTwo();
checkSizes();
keepFresh();
copyTokens();
