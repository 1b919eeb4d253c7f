// Label placement as in rankwise/reports/labels.py: greedy, then lifted and placed again.

const STRIP = 32;

function placeLabels(labels, marks, frame, radius, lines = []) {
  const strips = { hidden: inStrips([...marks, ...lines], radius), marks: inStrips([...marks, ...labels], radius) };
  labels.forEach((label) => { label.place = null; });
  for (let round = 0; round < 3; round++) {
    for (const label of labels) {
      label.place = null;
      label.place = bestPlace(label, labels, strips, frame, radius);
    }
  }
}

// Marks by upright strips of the plane, so that a label looks at those near it only.
function inStrips(marks, radius) {
  const strips = new Map();
  for (const mark of marks) {
    for (let at = Math.floor((mark.x - radius) / STRIP); at <= Math.floor((mark.x + radius) / STRIP); at++) {
      if (!strips.has(at)) strips.set(at, []);
      strips.get(at).push(mark);
    }
  }
  return strips;
}

function coveredBy(place, label, strips, radius, most) {
  let sum = 0;
  const last = Math.floor((place.x + label.width / 2) / STRIP);
  for (let at = Math.floor((place.x - label.width / 2) / STRIP); at <= last; at++) {
    for (const mark of strips.get(at) ?? []) {
      if (!covers(place, label, mark, radius)) continue;
      sum += mark.weight;
      if (sum >= most) return most;
    }
  }
  return sum;
}

// Whether a mark elsewhere is not clearly farther from the label than its own.
function isAmbiguous(place, label, strips, radius) {
  const reach = distanceTo(place, label, label) + radius, last = Math.floor((place.x + label.width / 2 + reach) / STRIP);
  for (let at = Math.floor((place.x - label.width / 2 - reach) / STRIP); at <= last; at++) {
    const near = (strips.get(at) ?? []).some((mark) => (
      covers(place, label, mark, reach) && (Math.abs(mark.x - label.x) > radius / 2 || Math.abs(mark.y - label.y) > radius / 2)
    ));
    if (near) return true;
  }
  return false;
}

function bestPlace(label, labels, strips, frame, radius) {
  let best = null;
  for (const place of around(label, frame, radius)) {
    if (best && place.cost >= best.cost) continue;
    if (!inside(place, label, frame) || isTaken(place, label, labels, radius)) continue;
    place.cost += 14 * coveredBy(place, label, strips.hidden, radius, 10);
    if (best && place.cost >= best.cost) continue;
    if (isAmbiguous(place, label, strips.marks, radius)) place.cost += 20;
    if (best && place.cost >= best.cost) continue;
    place.cost += 45 * leadersInTheWay(place, label, labels);
    if (!best || place.cost < best.cost) best = place;
  }
  return best;
}

function around(label, frame, radius) {
  const reach = Math.max(frame.right - frame.left, frame.bottom - frame.top), found = [];
  for (let gap = radius * 1.5, ring = 0; gap < reach; gap *= 1.22, ring++) {
    for (let step = 0; step < 24; step++) {
      const angle = (step % 2 ? step + 1 : -step) * Math.PI / 24;
      const dx = Math.cos(angle), dy = Math.sin(angle), longest = Math.max(Math.abs(dx), Math.abs(dy));
      found.push({
        x: label.x + dx / longest * label.width / 2 + dx * gap,
        y: label.y + dy / longest * label.height / 2 + dy * gap,
        gap,
        cost: gap + step * radius * 0.02,
      });
    }
  }
  return found;
}

function inside(place, label, frame) {
  return place.x - label.width / 2 >= frame.left && place.x + label.width / 2 <= frame.right
    && place.y - label.height / 2 >= frame.top && place.y + label.height / 2 <= frame.bottom;
}

function isTaken(place, label, labels, radius) {
  return labels.some((other) => covers(place, label, other, radius)
    || (other !== label && other.place
      && Math.abs(other.place.x - place.x) < (other.width + label.width) / 2
      && Math.abs(other.place.y - place.y) < (other.height + label.height) / 2));
}

function covers(place, label, mark, radius) {
  return Math.abs(mark.x - place.x) < label.width / 2 + radius
    && Math.abs(mark.y - place.y) < label.height / 2 + radius;
}

function leadersInTheWay(place, label, labels) {
  let count = 0;
  for (const other of labels) {
    if (other === label || !other.place) continue;
    for (let step = 0; step <= 12; step++) {
      const own = between(label, place, step / 12), its = between(other, other.place, step / 12);
      if (covers(other.place, other, own, 0)) { count += 1; break; }
      if (covers(place, label, its, 0)) { count += 1; break; }
    }
  }
  return count;
}

function between(start, end, share) {
  return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
}

function distanceTo(place, label, mark) {
  return Math.hypot(
    Math.max(Math.abs(mark.x - place.x) - label.width / 2, 0),
    Math.max(Math.abs(mark.y - place.y) - label.height / 2, 0),
  );
}

// A leader joins a label to its mark where they are apart, or where another mark is nearer.
function needsLeader(label, marks) {
  const own = distanceTo(label.place, label, label);
  return label.place.gap > 11 || marks.some((mark) => distanceTo(label.place, label, mark) < own - 0.01);
}
