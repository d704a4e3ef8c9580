// The shape of a column: how the probability of a class changes with its values, all others being as they are.
"use strict";

ldnn.shapes = (model, columns, rows) => {
  const VALUES = 25, SAMPLE = 40;
  const sample = rows.slice(0, SAMPLE), matrixRow = new Float64Array(columns.width);

  const values = k => {
    const column = columns.list[k];
    if (column.kind === "category") {
      const counts = column.categories.map((_, code) => rows.reduce((sum, row) => sum + (row[k] === code), 0));
      return counts.map((count, code) => ({ count, code })).sort((a, b) => b.count - a.count).slice(0, 12).map(({ code }) => code);
    }
    const { from, to } = column, start = columns.warp(column, from), step = (columns.warp(column, to) - start) / (VALUES - 1);
    if (column.whole && to - from < VALUES) return Array.from({ length: to - from + 1 }, (_, q) => from + q);
    return Array.from({ length: VALUES }, (_, q) => columns.unwarp(column, start + q * step));
  };

  const along = (row, k, grid, label) => {
    const copy = row.slice();
    return grid.map(value => { copy[k] = value; return model.probabilities(columns.toMatrix(copy, matrixRow))[label]; });
  };

  // The mean over some rows; null if `pause` says to stop.
  const mean = async (k, label, pause) => {
    const grid = values(k), sums = new Float64Array(grid.length);
    for (const row of sample) {
      along(row, k, grid, label).forEach((p, q) => { sums[q] += p / sample.length; });
      if (!await pause()) return null;
    }
    return { grid, means: [...sums] };
  };

  return { mean, along, values, sampleSize: sample.length };
};
