// Lists of rules that a reader can change, from few to many conditions. A condition is a range of numbers
// { columns, weights, low, high, known, missing }, of one column or of a sum of several, or a set of categories
// { columns, included, missing } of one column; missing: whether it holds where a value is missing; known: whether it holds
// anywhere else. The first rule of a list whose conditions all hold decides.
"use strict";

ldnn.rules = (data, matrixColumns) => {
  const valueOf = ({ columns, weights }, row) =>
    (columns.length === 1 ? row[columns[0]] : columns.reduce((sum, column, k) => sum + weights[k] * row[column], 0));

  const holds = (condition, row) => {
    const value = valueOf(condition, row);
    if (condition.included) return value >= 0 ? condition.included[value] : condition.missing;
    if (Number.isNaN(value)) return condition.missing;
    return condition.known && value >= (condition.low ?? -Infinity) && value <= (condition.high ?? Infinity);
  };

  const lacking = (rule, row) => rule.conditions.reduce((sum, condition) => sum + !holds(condition, row), 0);

  // The first rule that is on and holds; -1 where none does.
  const firing = (rules, row) => rules.findIndex(rule => rule.on && lacking(rule, row) === 0);

  // A copy of list k that can be changed.
  const fresh = k => data.lists[k].rules.map(rule => ({ ...structuredClone(rule), on: true }));

  // The limits of a condition that a reader can move, lower before upper: { value, set, column }.
  const cuts = condition => ["low", "high"].filter(end => !condition.included && condition[end] !== null && !columnOf(condition).flag)
    .map(end => ({ value: condition[end], set: value => { condition[end] = value; }, column: columnOf(condition) }));

  // The column of a condition; of a sum, a column of numbers that stands for it.
  const columnOf = ({ columns, weights }) => {
    if (columns.length === 1) return matrixColumns[columns[0]];
    const factor = size => (size === 1 ? "" : `${size < 1e4 ? size : size.toLocaleString("en")} × `);
    const term = (column, k) => `${k ? (weights[k] < 0 ? " − " : " + ") : ""}${factor(Math.abs(weights[k]))}${matrixColumns[column].name}`;
    return { kind: "number", name: columns.map(term).join(""), missing: columns.some(column => matrixColumns[column].missing) };
  };

  // A condition as pieces of text and places of cuts: ["age ≥ ", {cut: 0}].
  const pieces = condition => {
    const { name, missing, categories, flag, format } = columnOf(condition), { low, high } = condition;
    const [before, after] = [format?.before, format?.after].map(own => (own ? [own] : []));
    const orMissing = missing && condition.missing ? [" or missing"] : [];
    if (condition.included) return [`${name} ${memberText(categories, condition, missing)}`];
    if (low === null && high === null) return [`${name} is ${condition.missing ? "missing" : "not missing"}`];
    if (flag) return [high === null ? name : `not ${name}`, ...orMissing];
    if (low !== null && high !== null) return [...before, { cut: 0 }, ...after, ` ≤ ${name} ≤ `, ...before, { cut: 1 }, ...after, ...orMissing];
    return [`${name} ${low === null ? "≤" : "≥"} `, ...before, { cut: 0 }, ...after, ...orMissing];
  };

  const memberText = (categories, { included, missing: withMissing }, hasMissing) => {
    const inside = categories.filter((_, k) => included[k]), outside = categories.filter((_, k) => !included[k]);
    const names = list => (list.length > 1 ? `one of ${list.join(", ")}` : list[0]);
    if (!inside.length) return "is missing or unknown";
    if (outside.length && outside.length < inside.length && (withMissing || hasMissing)) {
      return `is not ${names(outside)}${hasMissing && !withMissing ? " and not missing" : ""}`;
    }
    return `is ${names(inside)}${hasMissing && withMissing ? " or missing" : ""}`;
  };

  const lists = data.lists.map((list, k) => ({ ...list, conditions: list.rules.flatMap(rule => rule.conditions).reduce((sum, condition) => sum + condition.columns.length, 0), k }));
  return { fresh, firing, valueOf, holds, lacking, cuts, pieces, lists, chosen: data.chosen, otherwise: k => data.lists[k].otherwise };
};
