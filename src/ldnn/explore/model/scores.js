// Errors, confusion and ROC curves of decisions about the rows of the page.
"use strict";

ldnn.scores = (() => {
  // confusion[truth][decision]: numbers of rows.
  const confusion = (labels, decisions, classes) => {
    const table = Array.from({ length: classes }, () => new Array(classes).fill(0));
    labels.forEach((label, k) => { table[label][decisions[k]]++; });
    return table;
  };

  const errors = (labels, decisions) => decisions.reduce((sum, decision, k) => sum + (decision !== labels[k]), 0);

  // The points (false positive rate, true positive rate) of scores, from the highest to the lowest, and the area below.
  const roc = (scores, isPositive) => {
    const order = scores.map((_, k) => k).sort((a, b) => scores[b] - scores[a]);
    const positives = isPositive.reduce((sum, one) => sum + one, 0), negatives = isPositive.length - positives;
    const points = [[0, 0]];
    let hits = 0, alarms = 0, area = 0;
    order.forEach((k, rank) => {
      if (isPositive[k]) hits++; else alarms++;
      if (rank + 1 < order.length && scores[order[rank + 1]] === scores[k]) return; // rows with the same score come together
      const [x, y] = [alarms / Math.max(negatives, 1), hits / Math.max(positives, 1)], [lastX, lastY] = points.at(-1);
      area += (x - lastX) * (y + lastY) / 2;
      points.push([x, y]);
    });
    return { points, area: positives && negatives ? area : NaN };
  };

  return { confusion, errors, roc };
})();
