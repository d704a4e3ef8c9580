// The paper's network in the plane: f(x) = 1 - prod_i (1 - g_i(x)), g_i(x) = prod_j sigma(w_ij.x + b_ij).
// A network is { N, M, w, b }: w (N * M * 2), b (N * M), row by row.
"use strict";

ldnn.network = (() => {
  const LARGEST = 700; // e**700 is still a number

  // Section III-B: the normal points from centroid j of the other class to centroid i; the bias puts 0.5 at their midpoint.
  const between = (positive, negative) => {
    const N = positive.length, M = negative.length, w = new Float64Array(2 * N * M), b = new Float64Array(N * M);
    for (let k = 0; k < N * M; k++) {
      const p = positive[Math.floor(k / M)], q = negative[k % M];
      const length = Math.hypot(p.x - q.x, p.y - q.y) || 1;
      w[2 * k] = (p.x - q.x) / length;
      w[2 * k + 1] = (p.y - q.y) / length;
      b[k] = -(w[2 * k] * (p.x + q.x) + w[2 * k + 1] * (p.y + q.y)) / 2;
    }
    return { N, M, w, b };
  };

  const workspace = net => ({
    e: new Float64Array(net.N * net.M), // e**-z
    excess: new Float64Array(net.N), // prod_j (1 + e_ij) - 1, so g = 1 / (1 + excess), 1 - g = excess g
    before: new Float64Array(net.N + 1), // prod_{r < i} (1 - g_r)
    others: new Float64Array(net.N), // prod_{r != i} (1 - g_r)
  });

  // f(x), by sums and products of positive terms only, so that a tiny f or 1 - f keeps its digits.
  const forward = (net, x, y, work) => {
    const { N, M, w, b } = net, { e, excess, before } = work;
    let f = 0;
    before[0] = 1;
    for (let i = 0; i < N; i++) {
      let sum = 0;
      for (let k = i * M; k < (i + 1) * M; k++) {
        const z = w[2 * k] * x + w[2 * k + 1] * y + b[k];
        e[k] = Math.exp(Math.min(Math.max(-z, -LARGEST), LARGEST));
        sum += e[k] + sum * e[k];
      }
      excess[i] = Math.min(sum, Number.MAX_VALUE);
      const g = 1 / (1 + excess[i]);
      f += before[i] * g;
      before[i + 1] = before[i] * (excess[i] < Number.MAX_VALUE ? excess[i] * g : 1);
    }
    return f;
  };

  const output = (net, x, y) => forward(net, x, y, workspace(net));

  const lossOf = (f, notF, label, loss) => loss === "squared" ? (label - f) ** 2
    : -Math.log(Math.max(label ? f : notF, 1e-300));

  // What dE/dz_ij is but for the factor 1 - sigma_ij: dE/df prod_{r != i} (1 - g_r) g_i, into `work.others`; returns E.
  // The product over the others is a prefix times a suffix product, never a division by 1 - g_i.
  const gateSlopes = (net, x, y, label, loss, work) => {
    const { N } = net, { excess, before, others } = work;
    const f = forward(net, x, y, work), notF = before[N];
    let after = 1;
    for (let i = N - 1; i >= 0; i--) {
      const g = 1 / (1 + excess[i]);
      if (loss === "squared") others[i] = 2 * (f - label) * before[i] * after * g;
      else if (label) others[i] = f > 0 ? -before[i] * after * g / f : 0; // dE/df = -1 / f
      else others[i] = 1 / excess[i]; // g / (1 - g): the products cancel
      after *= excess[i] < Number.MAX_VALUE ? excess[i] * g : 1;
    }
    return lossOf(f, notF, label, loss);
  };

  const slopeOf = (work, k, M) => {
    const e = work.e[k];
    return work.others[Math.floor(k / M)] * (e / (1 + e));
  };

  // Equations (6) and (7) for one point: { loss, dw, db }.
  const gradient = (net, x, y, label, loss = "squared") => {
    const work = workspace(net), dw = [], db = [];
    const value = gateSlopes(net, x, y, label, loss, work);
    for (let k = 0; k < net.N * net.M; k++) {
      const slope = slopeOf(work, k, net.M);
      db.push(slope);
      dw.push(slope * x, slope * y);
    }
    return { loss: value, dw, db };
  };

  // Stochastic gradient descent with momentum, one point after the other in a fresh order each epoch.
  const trainer = (net, random) => {
    const work = workspace(net), velocity = new Float64Array(3 * net.N * net.M);
    const epoch = (points, { loss, rate, momentum }) => {
      for (const index of random.permutation(points.length)) {
        const { x, y, label } = points[index];
        gateSlopes(net, x, y, label, loss, work);
        for (let k = 0; k < net.N * net.M; k++) {
          const slope = rate * slopeOf(work, k, net.M);
          net.w[2 * k] += velocity[3 * k] = momentum * velocity[3 * k] - slope * x;
          net.w[2 * k + 1] += velocity[3 * k + 1] = momentum * velocity[3 * k + 1] - slope * y;
          net.b[k] += velocity[3 * k + 2] = momentum * velocity[3 * k + 2] - slope;
        }
      }
    };
    return { epoch };
  };

  // The mean loss and the share of errors on some points.
  const scores = (net, points, loss) => {
    const work = workspace(net);
    let total = 0, errors = 0;
    for (const { x, y, label } of points) {
      const f = forward(net, x, y, work);
      total += lossOf(f, work.before[net.N], label, loss);
      errors += (f > 0.5) !== (label === 1);
    }
    return { loss: total / points.length, error: errors / points.length };
  };

  // Conjunction i as a polygon [[x, y], ...]: the square from -span to span, cut by its half-planes one after the other.
  const polygon = (net, i, span) => {
    let corners = [[-span, -span], [span, -span], [span, span], [-span, span]];
    for (let k = i * net.M; k < (i + 1) * net.M; k++) {
      const z = ([x, y]) => net.w[2 * k] * x + net.w[2 * k + 1] * y + net.b[k];
      corners = corners.flatMap((corner, at) => {
        const next = corners[(at + 1) % corners.length], here = z(corner), there = z(next);
        const kept = here >= 0 ? [corner] : [];
        if ((here >= 0) === (there >= 0)) return kept;
        const share = here / (here - there);
        return [...kept, [corner[0] + share * (next[0] - corner[0]), corner[1] + share * (next[1] - corner[1])]];
      });
    }
    return corners;
  };

  return { between, workspace, forward, output, gradient, trainer, scores, polygon };
})();
