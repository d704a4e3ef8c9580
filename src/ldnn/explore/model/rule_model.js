// A model that is its rules (RuleClassifier): the first rule that holds decides. Probabilities as predict_proba has them:
// of two classes, a logistic regression of how far conditions and rules hold; of several, those of training rows in the same
// situation.
"use strict";

ldnn.ruleModel = (data, rules) => {
  const FARTHEST = 3, CLOSE = 1e-6; // conditions that are missing, at most; by how much the decided class leads
  const STEEPEST = 50; // logarithm of the odds of a degree, at most
  const { frequencies, weights, widths, offsets, otherwise } = data, list = rules.fresh(rules.chosen);
  const conditions = list.flatMap(rule => rule.conditions);

  const sigmoid = z => 1 / (1 + Math.exp(-Math.min(STEEPEST, Math.max(-STEEPEST, z))));

  // How far a condition holds, from 0 to 1.
  const degree = (condition, width, row) => {
    const value = condition.included ? NaN : rules.valueOf(condition, row);
    if (!width || Number.isNaN(value)) return rules.holds(condition, row) ? 1 : 0;
    return sigmoid((value - (condition.low ?? -Infinity)) / width) * sigmoid(((condition.high ?? Infinity) - value) / width);
  };

  // Probabilities of two classes; isOwn: whether a rule holds.
  const twoClasses = (row, isOwn) => {
    const degrees = conditions.map((condition, k) => degree(condition, widths[k], row));
    let end = 0;
    for (const rule of list) { // of a rule, the product of its conditions
      const start = end;
      end += rule.conditions.length;
      degrees.push(degrees.slice(start, end).reduce((product, own) => product * own, 1));
    }
    const logOdds = degrees.reduce((sum, own, k) => sum + weights[k] * own, offsets[isOwn ? 1 : 0]);
    const found = 1 / (1 + Math.exp(-logOdds));
    const own = isOwn ? Math.max(found, 0.5 + CLOSE * (1 + found)) : Math.min(found, 0.5 - CLOSE * (2 - found));
    return otherwise === 1 ? [own, 1 - own] : [1 - own, own];
  };

  const decisions = row => {
    const lacking = list.map(rule => rules.lacking(rule, row)), first = lacking.indexOf(0);
    const label = first < 0 ? otherwise : list[first].label, distance = Math.min(FARTHEST, ...lacking);
    if (data.classes.length > 2) return { label, probabilities: frequencies[first < 0 ? list.length + distance : first] };
    return { label, probabilities: twoClasses(row, first >= 0) };
  };

  return {
    classes: data.classes, members: 0, isRules: true, decisions,
    probabilitiesOf: found => found.probabilities,
    classOf: found => found.label,
    marginOf: ({ probabilities }, label) => probabilities[label] - Math.max(...probabilities.filter((_, k) => k !== label)),
    probabilities: row => decisions(row).probabilities,
    predict: row => decisions(row).label,
  };
};
