// A model that is its rules (RuleClassifier): the first rule that holds decides. Probabilities are those of training rows
// in the same situation, as predict_proba has them.
"use strict";

ldnn.ruleModel = (data, rules) => {
  const FARTHEST = 3, CLOSE = 1e-6; // conditions that are missing, at most; by how much the decided class leads
  const { frequencies, weights, scores, otherwise } = data, list = rules.fresh(rules.chosen);

  // Linear between the scores of groups of training rows.
  const interpolate = (score, k) => {
    const last = scores.length - 1;
    if (score <= scores[0]) return frequencies[0][k];
    if (score >= scores[last]) return frequencies[last][k];
    const high = scores.findIndex(one => one >= score), share = (score - scores[high - 1]) / (scores[high] - scores[high - 1]);
    return frequencies[high - 1][k] + share * (frequencies[high][k] - frequencies[high - 1][k]);
  };

  const leading = (found, label) => {
    const others = Math.max(...found.filter((_, k) => k !== label));
    const changed = found.map((p, k) => (k === label ? Math.max(p, others + CLOSE) : p)), total = changed.reduce((sum, p) => sum + p, 0);
    return changed.map(p => p / total);
  };

  const decisions = row => {
    const lacking = list.map(rule => rules.lacking(rule, row)), first = lacking.indexOf(0);
    const label = first < 0 ? otherwise : list[first].label, distance = Math.min(FARTHEST, ...lacking);
    if (data.classes.length > 2) return { label, probabilities: frequencies[first < 0 ? list.length + distance : first] };
    const total = lacking.reduce((sum, count, r) => sum + (count === 0 ? weights[r] : 0), 0);
    const score = total > 0 ? total : -distance;
    return { label, probabilities: leading([0, 1].map(k => interpolate(score, k)), label) };
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
