// Winning numbers of the chosen results: sums of the wins that rankwise.comparison counted.

function standings(data, chosen) {
  const rows = data.methods.map((name, index) => (
    { index, name, wn: 0, iwn: 0, nwn: 0, datasets: 0, front: 0, rank: 0 }
  ));
  for (const column of data.columns) {
    if (column.methods.length < 2 || !isChosen(data, chosen, column)) continue;
    const ideal = data.ideal === "observed" ? Math.max(...column.wins) : column.methods.length - 1;
    column.methods.forEach((method, position) => {
      rows[method].wn += column.wins[position];
      rows[method].iwn += ideal;
      rows[method].datasets += 1;
    });
  }
  const placed = rows.filter((row) => row.iwn > 0);
  placed.forEach((row) => { row.nwn = row.wn / row.iwn; });
  placed.sort((a, b) => b.nwn - a.nwn || b.iwn - a.iwn || compareText(a.name, b.name));
  placed.forEach((row, place) => {
    const before = placed[place - 1];
    row.rank = before && before.nwn === row.nwn ? before.rank : place + 1;
  });
  markFronts(placed, chosen.measures.size === 1 ? "datasets" : "iwn", data.dominance);
  return placed;
}

function isChosen(data, chosen, column) {
  const collection = data.datasets[column.dataset].collection;
  return chosen.measures.has(column.measure) && chosen.collections.has(collection);
}

// 1 on the Pareto front, 2 where exactly one method dominates, else 0.
function markFronts(rows, axis, dominance) {
  const weak = dominance === "weak";
  for (const row of rows) {
    let dominators = 0;
    for (const rival of rows) {
      const aside = rival[axis] - row[axis], above = rival.nwn - row.nwn;
      const dominates = weak
        ? aside >= 0 && above >= 0 && (aside > 0 || above > 0)
        : aside > 0 && above > 0;
      if (dominates && ++dominators > 1) break;
    }
    row.front = dominators < 2 ? dominators + 1 : 0;
  }
}

// Python sorts names by code points; so does this, which locale rules would not.
function compareText(a, b) {
  const left = Array.from(a, (c) => c.codePointAt(0)), right = Array.from(b, (c) => c.codePointAt(0));
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i] - right[i];
  }
  return left.length - right.length;
}
