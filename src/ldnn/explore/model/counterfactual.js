// The smallest change of a row, in standard deviations of the columns, that changes the decision: the smallest one that a
// search finds. It starts from single columns, from steps along several columns, and from rows that are decided otherwise.
"use strict";

ldnn.counterfactual = (model, columns, rows) => {
  const VALUES = 24; // values of a column that are tried
  const STEPS = 4; // columns that are changed one after the other
  const NEIGHBOURS = 6; // rows that are decided otherwise
  const list = columns.list, matrixRow = new Float64Array(columns.width);

  const decisions = values => model.decisions(columns.toMatrix(values, matrixRow));
  const changes = (values, label) => model.classOf(decisions(values)) !== label;
  const replaced = (values, k, value) => { const copy = values.slice(); copy[k] = value; return copy; };
  const cost = (from, to) => list.reduce((sum, column, k) => sum + columns.distance(column, from[k], to[k]), 0);

  // Values of a column to try: all categories, or quantiles of the rows.
  const candidates = list.map((column, k) => {
    if (!column.used) return [];
    if (column.kind === "category") return column.categories.map((_, code) => code);
    const known = rows.map(row => row[k]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
    const quantiles = Array.from({ length: VALUES }, (_, q) => known[Math.round(q * (known.length - 1) / (VALUES - 1))]);
    return [...new Set([...quantiles, column.low, column.high].filter(value => value !== undefined))];
  });

  // Between a value that keeps the decision and one that changes it: as near to the first as possible, and short to read.
  const nearestValue = (values, k, label) => {
    const column = list[k], from = values.origin[k];
    let keeps = from, does = values.now[k];
    if (column.kind === "category" || Number.isNaN(keeps) || Number.isNaN(does)) return does;
    const test = value => changes(replaced(values.now, k, value), label);
    for (let step = 0; step < 22 && Math.abs(does - keeps) > 1e-6 * column.deviation; step++) {
      const middle = column.whole ? Math.round((keeps + does) / 2) : (keeps + does) / 2;
      if (middle === keeps || middle === does) break;
      if (test(middle)) does = middle; else keeps = middle;
    }
    for (const unit of column.whole ? [] : units(column, does)) { // a little further, and short to read
      const round = (does > keeps ? Math.ceil(does / unit) : Math.floor(does / unit)) * unit;
      const short = column.kind === "number" ? Number(round.toPrecision(12)) : round;
      if (Math.abs(short - does) < 0.05 * column.deviation && test(short)) return short;
    }
    return does;
  };

  // From coarse to fine: powers of ten; days, hours and minutes of dates; minutes of times.
  const units = (column, value) => {
    if (column.kind === "date") return [1, 1 / 24, 1 / 1440];
    if (column.kind === "time") return [1, 1 / 60];
    const first = Math.floor(Math.log10(Math.abs(value) || 1)) - 1;
    return Array.from({ length: 7 }, (_, k) => 10 ** (first - k));
  };

  // Take back what is not needed, then move what is left as near to the row as it goes.
  const shrink = (origin, now, label) => {
    const order = list.map((_, k) => k).filter(k => columns.distance(list[k], origin[k], now[k]) > 0)
      .sort((a, b) => columns.distance(list[a], origin[a], now[a]) - columns.distance(list[b], origin[b], now[b]));
    for (const k of order) {
      const without = replaced(now, k, origin[k]);
      if (changes(without, label)) now = without;
    }
    for (const k of order.reverse()) {
      if (columns.distance(list[k], origin[k], now[k]) > 0) now = replaced(now, k, nearestValue({ origin, now }, k, label));
    }
    return now;
  };

  // Search in small pieces, so that the page stays quick; `pause` is awaited between them and says whether to go on.
  const search = async (origin, locked, pause) => {
    const label = model.classOf(decisions(origin));
    const open = list.map((_, k) => k).filter(k => list[k].used && !locked.has(k));
    let best = null;
    const consider = now => {
      if (!changes(now, label)) return;
      const found = shrink(origin, now, label), size = cost(origin, found);
      if (!best || size < best.size - 1e-9) best = { values: found, size, label: model.classOf(decisions(found)) };
    };

    // Steps along the column that brings most for its distance; the first step tries every column alone.
    let now = origin.slice();
    for (let step = 0; step < STEPS && open.length; step++) {
      const margin = model.marginOf(decisions(now), label);
      let next = null;
      for (const k of open) {
        for (const value of candidates[k]) {
          const tried = replaced(now, k, value), distance = columns.distance(list[k], now[k], value);
          if (distance === 0) continue;
          const gain = margin - model.marginOf(decisions(tried), label);
          if (gain >= margin) consider(tried);
          const worth = gain / (0.1 + distance);
          if (gain > 0 && (!next || worth > next.worth)) next = { worth, tried };
        }
        if (!await pause()) return null;
      }
      if (!next) break;
      now = next.tried;
      if (changes(now, label)) { consider(now); break; }
    }

    const isOpen = new Set(open);
    const others = rows.map(row => {
      const to = row.map((value, k) => (isOpen.has(k) ? value : origin[k]));
      return { row: to, size: cost(origin, to) };
    }).sort((a, b) => a.size - b.size);
    let found = 0;
    for (const { row } of others) {
      if (found >= NEIGHBOURS) break;
      if (changes(row, label)) { found++; consider(row); }
      if (!await pause()) return null;
    }
    return { label, best };
  };

  return { search, cost };
};
