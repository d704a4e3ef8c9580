// Small linear programs, by the dual simplex method, with the same steps as in Python (linear_program.py).
"use strict";

// The x >= 0 with A x >= b that costs least; null if there is none. No cost is negative.
ldnn.cheapest = (costs, A, b) => {
  const TOLERANCE = 1e-11, MOST_PIVOTS = 500; // by which a row may be missed
  const FREE_CHOICE = 100; // pivots after which rows and columns are taken in their order, so that none comes back
  const m = A.length, n = costs.length;
  // Each basic variable, and the cost, as a sum of the others: constants come first.
  const table = [[0, ...costs], ...A.map((row, i) => [-b[i], ...row])];
  const basic = A.map((_, i) => n + i), others = costs.map((_, j) => j);

  const exchange = (r, c) => {
    const pivot = table[r][c], replacement = table[r].map(value => -value / pivot);
    replacement[c] = 1 / pivot;
    table.forEach((row, i) => {
      if (i === r) return;
      const factor = row[c];
      row[c] = 0;
      for (let j = 0; j <= n; j++) row[j] += factor * replacement[j];
    });
    table[r] = replacement;
    [basic[r - 1], others[c - 1]] = [others[c - 1], basic[r - 1]];
  };

  for (let step = 0; step < MOST_PIVOTS; step++) {
    const inOrder = step >= FREE_CHOICE;
    let r = 0, c = 0;
    for (let i = 1; i <= m; i++) {
      if (table[i][0] >= -TOLERANCE) continue;
      if (!r || (inOrder ? basic[i - 1] < basic[r - 1] : table[i][0] < table[r][0])) r = i;
    }
    if (!r) {
      const x = new Float64Array(n + m);
      basic.forEach((place, i) => { x[place] = table[i + 1][0]; });
      return x.slice(0, n);
    }
    const ratios = table[r].map((value, j) => (j && value > TOLERANCE ? Math.max(table[0][j], 0) / value : Infinity));
    const most = Math.min(...ratios) + (inOrder ? 0 : TOLERANCE);
    for (let j = 1; j <= n; j++) if (ratios[j] <= most && ratios[j] < Infinity && (!c || others[j - 1] < others[c - 1])) c = j;
    if (!c) return null;
    exchange(r, c);
  }
  return null;
};
