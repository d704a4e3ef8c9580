// Rules that a reader can change. A condition adds up what its columns give (effects) and asks for a sum.
"use strict";

ldnn.rules = (data, matrixColumns, textOf) => {
  const points = (effect, value) => {
    if (effect.levels) return value >= 0 ? effect.levels[value] : effect.missing;
    if (Number.isNaN(value)) return effect.missing;
    if (effect.edges) {
      let k = 0;
      while (k < effect.edges.length && effect.edges[k] <= value) k++;
      return effect.values[k];
    }
    return effect.slope * value;
  };

  const score = (condition, row) => condition.effects.reduce((sum, effect) => sum + points(effect, row[effect.column]), 0);
  const holds = (condition, row) => score(condition, row) >= condition.threshold - 1e-7 * (1 + Math.abs(condition.threshold));
  const ruleHolds = (rule, row) => {
    const count = rule.conditions.reduce((sum, condition) => sum + holds(condition, row), 0);
    return count >= (rule.atLeast ?? rule.conditions.length);
  };

  // The first rule that is on and holds decides; -1 where none does.
  const firing = (rules, row) => rules.findIndex(rule => rule.on && ruleHolds(rule, row));
  const decide = (rules, row) => {
    const k = firing(rules, row);
    return k < 0 ? data.otherwise : rules[k].label;
  };

  // A copy that can be changed.
  const fresh = () => data.rules.map(rule => ({ ...structuredClone(rule), on: true }));

  // The thresholds of a condition that a reader can move: { value, set, column, name }.
  const cuts = condition => {
    const [effect] = condition.effects, column = matrixColumns[effect.column];
    if (condition.effects.length > 1 || effect.levels) {
      return condition.effects.length > 1 ? [{ value: condition.threshold, set: value => { condition.threshold = value; }, column: null }] : [];
    }
    if (effect.slope !== undefined) {
      return [{ value: condition.threshold / effect.slope, set: value => { condition.threshold = effect.slope * value; }, column }];
    }
    const passes = effect.values.map(value => value >= condition.threshold);
    return effect.edges.map((value, k) => ({ value, set: moved => { effect.edges[k] = moved; }, column, matters: passes[k] !== passes[k + 1] }))
      .filter(cut => cut.matters);
  };

  // A condition as pieces of text and places of cuts: ["age", " >= ", {cut: 0}].
  const pieces = condition => {
    const [effect] = condition.effects, column = matrixColumns[effect.column];
    if (condition.effects.length > 1) return sumPieces(condition);
    const orMissing = column.missing && effect.missing >= condition.threshold ? [" or missing"] : [];
    if (effect.levels) return [`${column.name} ${memberText(column, effect, condition.threshold)}`, ...orMissing];
    if (effect.slope !== undefined) return [`${column.name} ${effect.slope > 0 ? "≥" : "≤"} `, { cut: 0 }, ...orMissing];
    return [`${column.name} `, ...rangePieces(effect, condition.threshold), ...orMissing];
  };

  const memberText = (column, effect, threshold) => {
    const inside = column.categories.filter((_, k) => effect.levels[k] >= threshold);
    const outside = column.categories.filter((_, k) => effect.levels[k] < threshold);
    const [word, names] = outside.length < inside.length ? ["is not", outside] : ["is", inside];
    return `${word} ${names.length > 1 ? `one of ${names.join(", ")}` : names[0] ?? "anything"}`;
  };

  const rangePieces = (effect, threshold) => {
    const found = [], passes = effect.values.map(value => value >= threshold);
    let cut = 0;
    for (let k = 0; k < passes.length; k++) {
      const starts = passes[k] && (k === 0 || !passes[k - 1]), ends = passes[k] && (k === passes.length - 1 || !passes[k + 1]);
      if (starts && found.length) found.push(" or ");
      if (starts && k > 0) found.push("from ", { cut: cut++ });
      if (ends && k < passes.length - 1) found.push(isOpenBelow(passes, k) ? "below " : " to below ", { cut: cut++ });
    }
    return found;
  };

  const isOpenBelow = (passes, k) => passes.slice(0, k + 1).every(Boolean);

  const sumPieces = condition => {
    if (condition.effects.every(effect => effect.slope !== undefined)) {
      const terms = condition.effects.map((effect, k) => {
        const size = Math.abs(effect.slope), sign = effect.slope < 0 ? (k ? " − " : "−") : (k ? " + " : "");
        return `${sign}${size === 1 ? "" : `${size} × `}${matrixColumns[effect.column].name}`;
      });
      return [`${terms.join("")} ≥ `, { cut: 0 }];
    }
    return ["at least ", { cut: 0 }, " points of", ...condition.effects.map(effect => ({ card: cardOf(effect) }))];
  };

  const cardOf = effect => {
    const column = matrixColumns[effect.column], shown = value => textOf(column, value);
    const lines = effect.levels ? column.categories.map((name, k) => [name, effect.levels[k]])
      : effect.values.map((value, k) => [k === 0 ? `below ${shown(effect.edges[0])}` : `from ${shown(effect.edges[k - 1])}`, value]);
    return { name: column.name, lines: column.missing ? [...lines, ["missing", effect.missing]] : lines };
  };

  return { fresh, firing, decide, ruleHolds, holds, cuts, pieces, otherwise: data.otherwise, count: data.rules.length };
};
