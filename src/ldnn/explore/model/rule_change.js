// The smallest change of a row that changes the decision of a rule list, by branch and bound, with the same steps as in
// Python (rule_change.py): the rows with another decision are a union of regions, which are looked at in the order of their
// nearest rows.
"use strict";

ldnn.ruleChange = (data, rules, columns, rows) => {
  const ROUNDING = 0.05; // standard deviations by which each value may be farther than needed, so that it is round
  const MOST_REGIONS = 3000, MOST_DEEP = 3000; // looked at in the order of their costs; then in depth if there is no change
  const EQUAL = 1e-9, NEAR = 1e-7; // difference of costs; standard deviations between a value and what is shown of it
  const list = rules.fresh(rules.chosen), counts = columns.ofMatrix.map(({ categories }) => categories?.length ?? 0);
  const holds = (rule, row) => rules.lacking(rule, row) === 0;
  const decide = row => list.find(rule => holds(rule, row))?.label ?? data.otherwise;

  // Parts of dates of which rules read several, such as the month and the weekday, do not change alone.
  const used = new Set(list.flatMap(rule => rule.conditions.flatMap(condition => condition.columns)));
  const places = columns.list.map((_, table) => columns.ofMatrix.flatMap((own, k) => (own.table === table ? [k] : [])));
  const repeated = places.filter(own => own.filter(k => used.has(k)).length > 1).flat();

  // --- round values --------------------------------------------------------------------------------------------------

  const SHOWN = { date: 86400, hour: 3600 }, STEPS = { date: [1, 1 / 24, 1 / 1440], hour: [1, 1 / 60] };

  const powersOfTen = (low, high) => {
    const largest = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high)))) + 1;
    return Array.from({ length: 17 }, (_, k) => Math.min(largest, 308) - k).filter(exponent => exponent > -308).map(exponent => Number(`1e${exponent}`));
  };

  // The number with the fewest digits that is above `low` and not above `high`; the smallest of them.
  const roundedUp = (low, high, unit) => {
    if (!(low < high)) return high;
    if (low < 0 && high >= 0) return 0;
    for (const step of STEPS[unit] ?? powersOfTen(low, high)) {
      const found = Number(((Math.floor(low / step) + 1) * step).toPrecision(15));
      if (low < found && found <= high) return found;
    }
    return high;
  };

  const shown = (value, unit) => (SHOWN[unit] ? Math.round(value * SHOWN[unit]) / SHOWN[unit] : Number(value.toPrecision(6)));

  // A value itself if it is short enough to be shown, else those that are a little farther from the original one.
  const roundValues = (space, k, value, own) => {
    const unit = data.units[k], room = ROUNDING * space.scale(k), short = shown(value, unit);
    return [
      ...(Math.abs(short - value) <= NEAR * space.scale(k) ? [short] : []),
      ...(value < own ? [] : [roundedUp(value, value + room, unit)]),
      ...(value > own ? [] : [-roundedUp(-value, -value + room, unit)]),
    ];
  };

  // --- the search ----------------------------------------------------------------------------------------------------

  // Of a row of the matrix; `pause` is awaited between regions and says whether to go on. Returns { label, row, size, exact }
  // without a row if there is no change; null if it was told to stop.
  const changeOf = async (row, fixed, pause) => {
    const space = ldnn.rowSpace({ ...data, counts }, list, row, fixed), label = decide(row);
    const seen = new Set();
    let best = null, exact = true, number = 0;

    // The nodes of the regions that are not empty and have not been seen.
    const nodesOf = (target, regions) => regions.flatMap(region => {
      const key = `${target} ${space.keyOf(region)}`, values = seen.has(key) ? null : space.nearest(region);
      seen.add(key);
      return values ? [{ cost: space.size(values), number: number++, target, region, values }] : [];
    });
    const inOrder = (a, b) => a.cost - b.cost || a.number - b.number;

    // The parts of a region in which that rule does not hold that decides about a row as before.
    const withoutDecidingRule = ({ target, region }, values) => {
      for (const rule of list.slice(0, target)) {
        if (rule.label !== label || !holds(rule, values)) continue;
        const parts = rule.conditions.flatMap(condition => space.parts(region, condition, false)), own = space.keyOf(region);
        if (!parts.some(part => space.keyOf(part) === own)) return parts; // else it holds by rounding errors only
      }
      return null;
    };

    // The region with integers as they are in its nearest row, and a row near that which is not at the ends of ranges of sums.
    const inner = node => {
      let { region } = node;
      for (const k of space.numbers.filter(space.isWhole)) {
        if (!Number.isNaN(node.values[k])) region = space.within(region, space.column(k), node.values[k], node.values[k]) ?? region;
      }
      return { region, values: space.nearest(region, true) ?? node.values };
    };

    const rounded = (node, { region, values }) => {
      const changed = space.changed(values), most = node.cost + ROUNDING * changed.length + EQUAL;
      for (const k of changed.filter(own => !counts[own] && !space.isWhole(own))) {
        search: for (const value of roundValues(space, k, values[k], row[k])) {
          const part = space.within(region, space.column(k), value, value), alone = values.slice();
          if (!part) continue;
          alone[k] = value;
          for (const tried of [alone, space.nearest(part, true)]) {
            if (tried && space.size(tried) <= most && decide(tried) !== label) { [region, values] = [part, tried]; break search; }
          }
        }
      }
      return decide(values) === label ? null : values;
    };

    const look = node => {
      let parts = space.betweenIntegers(node.region, node.values) ?? withoutDecidingRule(node, node.values);
      const start = parts ? null : inner(node);
      parts ??= withoutDecidingRule(node, start.values);
      if (parts) return nodesOf(node.target, parts);
      const values = rounded(node, start);
      if (!values) exact = false; // rounding errors
      else if (!best || space.size(values) < best.size) best = { row: values, size: space.size(values), exact };
      return [];
    };

    const holding = rule => rule.conditions.reduce((found, condition) => found.flatMap(region => space.parts(region, condition, true)), [space.all]);
    let nodes = list.flatMap((rule, target) => (rule.label === label ? [] : nodesOf(target, holding(rule))));
    if (data.otherwise !== label) nodes.push(...nodesOf(list.length, [space.all]));
    for (let step = 0; step < MOST_REGIONS + MOST_DEEP && nodes.length; step++) {
      if (!await pause()) return null;
      if (step < MOST_REGIONS) {
        const node = nodes.reduce((least, one) => (inOrder(one, least) < 0 ? one : least));
        if (best && node.cost >= best.size - EQUAL) break;
        nodes = nodes.filter(one => one !== node).concat(look(node));
      } else {
        if (step === MOST_REGIONS) { exact = false; nodes.sort((a, b) => inOrder(b, a)); }
        if (best) break;
        const node = nodes.pop();
        nodes.push(...look(node).sort((a, b) => inOrder(b, a)));
      }
    }
    return { label, exact, ...best };
  };

  // --- rows of the table ---------------------------------------------------------------------------------------------

  // The values of the table with those that a row of the matrix has changed: dates get another part.
  const inTable = (values, origin, changed) => {
    const found = values.slice();
    changed.forEach((value, k) => {
      if (value === origin[k] || (Number.isNaN(value) && Number.isNaN(origin[k]))) return;
      const table = columns.ofMatrix[k].table, column = columns.list[table];
      if (column.kind !== "date") { found[table] = value; return; }
      const known = Number.isNaN(values[table]) ? rows.map(row => row[table]).find(own => !Number.isNaN(own)) ?? 0 : values[table];
      found[table] = ldnn.withDatePart(column.parts[k - column.place], known, value);
    });
    return found;
  };

  const search = async (values, locked, pause) => {
    const origin = columns.toMatrix(values), fixed = new Set([...repeated, ...[...locked].flatMap(table => places[table])]);
    const found = await changeOf(origin, fixed, pause);
    if (!found) return null;
    const { label, row, size, exact } = found;
    return { label, exact, best: row ? { values: inTable(values, origin, row), size, label: decide(row) } : null };
  };

  return { search, changeOf, decide };
};
