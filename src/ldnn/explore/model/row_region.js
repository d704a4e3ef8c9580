// Sets of rows near a given one, with the same steps as in Python (row_region.py, nearest_row.py): ranges of columns and of
// sums of columns, sets of categories, and which missing values become known. Conditions cut them into parts.
"use strict";

// row: that of the matrix; fixed: columns that keep their values; scales, whole, units and counts of categories by column.
ldnn.rowSpace = ({ scales, whole, units, counts }, list, row, fixed) => {
  const UNKNOWN = -1; // a category that is missing or was not seen in training
  const GAP = 1e-9, MARGIN = 1e-8; // of the largest term of a sum, in standard deviations
  const ROUNDING_ERROR = 1e-14, SAME = 1e-12; // relative; of a sum, of an integer
  const conditions = list.flatMap(rule => rule.conditions);
  const columnsOf = some => [...new Set(some.flatMap(one => one.columns))].sort((a, b) => a - b);
  const used = columnsOf(conditions), inSums = new Set(columnsOf(conditions.filter(one => one.columns.length > 1)));
  const numbers = used.filter(k => !counts[k]), isMissing = k => Number.isNaN(row[k]);
  const isWhole = k => whole[k] && !counts[k] && (isMissing(k) || Number.isInteger(row[k]));
  const scale = k => scales[k] || 1;

  // --- regions: { ranges, categories, given, missing } ---------------------------------------------------------------

  const nameOf = ({ columns, weights }) => (columns.length > 1 ? `${columns}*${weights}` : `${columns[0]}`);
  const keyOf = region => JSON.stringify([
    [...region.ranges].map(([name, { low, high }]) => [name, `${low}`, `${high}`]).sort(),
    [...region.categories].sort((a, b) => a[0] - b[0]), [...region.given].sort(), [...region.missing].sort()]);
  const range = (region, k) => region.ranges.get(`${k}`) ?? { low: -Infinity, high: Infinity };

  // The part in which a sum is in a range; null if it is empty.
  const within = (region, { columns, weights }, low, high) => {
    const name = nameOf({ columns, weights }), own = region.ranges.get(name) ?? { low: -Infinity, high: Infinity };
    const ends = { low: Math.max(low, own.low), high: Math.min(high, own.high) };
    return ends.low <= ends.high ? { ...region, ranges: new Map(region.ranges).set(name, { columns, weights, ...ends }) } : null;
  };
  const column = k => ({ columns: [k], weights: [1] });

  const isWholeSum = ({ columns, weights }) => columns.every((k, i) => isWhole(k) && Number.isInteger(weights[i]));
  const largestTerm = ({ columns, weights }) => Math.max(...columns.map((k, i) => Math.abs(weights[i]) * scale(k)));
  const gap = terms => (terms.columns.every(k => inSums.has(k)) ? GAP * largestTerm(terms) : 0);

  // The next number that a computer tells apart, up or down.
  const next = (value, sign) => {
    if (value === 0) return sign * Number.MIN_VALUE;
    const floats = new Float64Array([value]), bits = new BigInt64Array(floats.buffer);
    bits[0] += (value > 0) === (sign > 0) ? 1n : -1n;
    return floats[0];
  };

  // Where a known sum is inside of a range, or outside.
  const ranges = (condition, inside) => {
    const { known } = condition, low = condition.low ?? -Infinity, high = condition.high ?? Infinity;
    if (!known) return inside ? [] : [[-Infinity, Infinity]];
    const full = isWholeSum(condition);
    if (inside) return [full ? [Math.ceil(low), Math.floor(high)] : [low, high]];
    const below = full ? Math.ceil(low) - 1 : next(low - gap(condition), -1);
    const above = full ? Math.floor(high) + 1 : next(high + gap(condition), 1);
    return [...(low > -Infinity ? [[-Infinity, below]] : []), ...(high < Infinity ? [[above, Infinity]] : [])];
  };

  // The parts of a region in which a condition holds, or does not.
  const parts = (region, condition, holds) => {
    if (condition.included) {
      const [k] = condition.columns, fits = code => (code === UNKNOWN ? condition.missing : condition.included[code]) === holds;
      const codes = region.categories.get(k).filter(fits);
      return codes.length ? [{ ...region, categories: new Map(region.categories).set(k, codes) }] : [];
    }
    const absent = condition.columns.filter(isMissing), stays = absent.some(k => region.missing.has(k)), found = [];
    if (condition.missing === holds) {
      if (stays) return [region];
      for (const k of absent) if (!region.given.has(k)) found.push({ ...region, missing: new Set(region.missing).add(k) });
    }
    if (!stays) {
      const known = absent.length ? { ...region, given: new Set([...region.given, ...absent]) } : region;
      for (const [low, high] of ranges(condition, holds)) found.push(within(known, condition, low, high));
    }
    return found.filter(part => part);
  };

  const all = { ranges: new Map(), categories: new Map(), given: new Set(), missing: new Set(numbers.filter(k => isMissing(k) && fixed.has(k))) };
  for (const k of used) {
    if (counts[k]) {
      const code = row[k] >= 0 ? row[k] : UNKNOWN, others = Array.from({ length: counts[k] }, (_, own) => own);
      all.categories.set(k, fixed.has(k) ? [code] : [...new Set([code, ...others])].sort((a, b) => a - b));
    } else if (fixed.has(k) && !isMissing(k)) {
      all.ranges.set(`${k}`, { ...column(k), low: row[k], high: row[k] });
    } else if (units[k] === "flag") {
      const own = isMissing(k) ? 0 : row[k];
      all.ranges.set(`${k}`, { ...column(k), low: Math.min(own, 0), high: Math.max(own, 1) });
    }
  }

  // --- the nearest row of a region -----------------------------------------------------------------------------------

  const total = ({ columns, weights }, values) => columns.reduce((sum, k, i) => sum + weights[i] * values[k], 0);

  // A range without its outermost parts, if it is wide.
  const narrower = (terms, values) => {
    const { low, high } = terms;
    if (isWholeSum(terms)) return terms;
    const size = terms.columns.reduce((sum, k, i) => sum + Math.abs(terms.weights[i] * values[k]), 0);
    const ends = Math.max(0, ...[low, high].filter(Number.isFinite).map(Math.abs));
    const margin = MARGIN * largestTerm(terms) + ROUNDING_ERROR * (size + ends);
    return high - low > 4 * margin ? { ...terms, low: low + margin, high: high - margin } : terms;
  };

  // With all sums in their ranges; values: each as near as its own range allows.
  const moved = (region, values, sums) => {
    const columns = columnsOf(sums), steps = columns.flatMap(k => [{ k, sign: 1 }, { k, sign: -1 }]), A = [], b = [];
    for (const terms of sums) {
      const factors = steps.map(({ k, sign }) => {
        const place = terms.columns.indexOf(k);
        return place < 0 ? 0 : sign * terms.weights[place] * scale(k);
      });
      const value = total(terms, values), largest = Math.max(...factors.map(Math.abs));
      for (const [end, sign] of [[terms.low, 1], [terms.high, -1]]) {
        if (!Number.isFinite(end)) continue;
        A.push(factors.map(factor => sign * factor / largest));
        b.push(sign * (end - value) / largest);
      }
    }
    steps.forEach(({ k, sign }, j) => {
      const { low, high } = range(region, k);
      const room = sign > 0 ? (row[k] > high ? 0 : high - values[k]) : (row[k] < low ? 0 : values[k] - low);
      if (!Number.isFinite(room)) return;
      A.push(steps.map((_, i) => (i === j ? -1 : 0)));
      b.push(-room / scale(k));
    });
    const found = ldnn.cheapest(steps.map(({ k }) => (isMissing(k) ? 0 : 1)), A, b);
    if (!found) return null;
    const result = values.slice();
    steps.forEach(({ k, sign }, j) => { result[k] += sign * (found[j] * scale(k)); });
    for (const k of columns) {
      const { low, high } = range(region, k), near = Math.min(Math.max(result[k], low), high);
      const isSame = isWhole(k) && Math.abs(near - Math.round(near)) <= SAME * Math.max(1, Math.abs(near));
      result[k] = isSame ? Math.round(near) : near;
    }
    return result;
  };

  // Some columns of integers may be between two of them; null if the region is empty. withMargin: sums keep a small
  // distance from the ends of their ranges, so that rounding errors do not matter.
  const nearest = (region, withMargin = false) => {
    const values = Float64Array.from(row);
    for (const [k, codes] of region.categories) {
      if (!codes.includes(row[k] >= 0 ? row[k] : UNKNOWN)) values[k] = Math.min(...codes);
    }
    for (const k of numbers) {
      if (isMissing(k) && !region.given.has(k)) continue;
      const { low, high } = range(region, k);
      if (isMissing(k)) values[k] = Number.isFinite(low) ? low : Number.isFinite(high) ? high : 0;
      values[k] = Math.min(Math.max(values[k], low), high);
    }
    const sums = [...region.ranges.values()].filter(terms => terms.columns.length > 1 && !terms.columns.some(k => Number.isNaN(values[k])))
      .map(terms => (withMargin ? narrower(terms, values) : terms));
    const isInside = terms => terms.low <= total(terms, values) && total(terms, values) <= terms.high;
    return sums.every(isInside) ? values : moved(region, values, sums);
  };

  // Both parts of a region if a column of integers is between two of them; null if no column is.
  const betweenIntegers = (region, values) => {
    const k = numbers.find(own => isWhole(own) && !Number.isNaN(values[own]) && !Number.isInteger(values[own]));
    if (k === undefined) return null;
    const low = Math.floor(values[k]), high = Math.ceil(values[k]);
    return [within(region, column(k), -Infinity, low), within(region, column(k), high, Infinity)].filter(part => part);
  };

  const changed = values => used.filter(k => values[k] !== row[k] && !(isMissing(k) && Number.isNaN(values[k])));
  const stepOf = (k, value) => (counts[k] || isMissing(k) ? 1 : Math.abs(value - row[k]) / scale(k));
  const size = values => changed(values).reduce((sum, k) => sum + stepOf(k, values[k]), 0);

  return { all, parts, within, column, keyOf, nearest, betweenIntegers, changed, size, numbers, isWhole, scale };
};
