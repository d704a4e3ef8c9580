// The model itself: from a matrix row to probabilities, as predict_proba computes them.
"use strict";

// The weights of all networks. Rounded ones are multiples of a step: 0, -1, 1, -2, ... steps are stored as 0, 1, 2, 3, ...
ldnn.weights = ({ count, N, M, rows, biasRow, sizes, step, absent }, stored) => {
  const size = N * M, weights = new Float32Array(stored);
  if (step !== null) {
    for (let k = 0; k < weights.length; k++) weights[k] = step * (stored[k] & 1 ? -(stored[k] >> 1) - 1 : stored[k] >> 1);
  }
  for (let c = 0; c < count; c++) {
    for (let k = 0; k < size; k++) {
      const i = Math.floor(k / M), bias = (c * rows + biasRow) * size + k;
      if (i >= sizes[c][0]) weights[bias] = -absent; // an absent conjunction holds nowhere
      else if (k % M >= sizes[c][1]) weights[bias] = absent; // an absent half-space holds everywhere
    }
  }
  return weights;
};

ldnn.model = (data, array) => {
  const { encoder, networks, members, modular, inverseTemperature: factor } = data;
  const { N, M, count, rows, biasRow } = networks, size = N * M;
  const parameters = ldnn.weights(networks, array(networks.parameters)), center = array(encoder.center), scale = array(encoder.scale);
  const rotation = encoder.rotation && array(encoder.rotation);
  const bases = encoder.bases.map(basis => ({ ...basis, knots: array(basis.knots) }));
  const ONE_HOT = 1, MISSING = 2; // kinds of bases; 0 is piecewise-linear

  // --- features: rows of the parameters that a table row touches, and their shares ---------------------------------------

  const numbers = encoder.numbers, dense = new Float64Array(numbers.length);
  const places = new Int32Array(rows + 1), shares = new Float64Array(rows + 1);
  let touched = 0;
  const touch = (place, share) => { places[touched] = place; shares[touched++] = share; };

  const normalize = row => {
    const limit = value => Math.fround(Math.min(Math.max(value, -encoder.limit), encoder.limit));
    const scaled = numbers.map((column, k) => {
      const value = (row[column] - center[k]) * scale[k];
      return Number.isNaN(value) ? 0 : value; // a missing number counts as the mean
    });
    for (let k = 0; k < numbers.length; k++) {
      let value = scaled[k];
      if (rotation) {
        value = 0;
        for (let m = 0; m < numbers.length; m++) value += scaled[m] * rotation[m * numbers.length + k];
      }
      dense[k] = limit(value);
    }
  };

  const position = (value, { kind, knots }) => {
    if (Number.isNaN(value)) return kind === MISSING ? 0 : -1;
    if (kind === MISSING) return -1;
    let low = 0, high = knots.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (knots[middle] <= value) low = middle; else high = middle - 1;
    }
    if (kind === ONE_HOT) return knots[low] === value ? low : -1;
    if (low === knots.length - 1 || value <= knots[0]) return low;
    return Math.fround(low + (value - knots[low]) / (knots[low + 1] - knots[low]));
  };

  const encode = row => {
    touched = 0;
    normalize(row);
    for (let k = 0; k < numbers.length; k++) touch(k, dense[k]);
    encoder.products.forEach(([k, m], p) => {
      const product = Math.fround(dense[k] * dense[m]);
      touch(numbers.length + p, k === m ? Math.fround(Math.fround(product - 1) * Math.fround(Math.SQRT1_2)) : product);
    });
    let first = biasRow + 1;
    for (const basis of bases) {
      const at = position(row[basis.column], basis), knots = basis.knots.length;
      if (at >= 0) {
        const low = Math.min(Math.floor(at), knots - 1), beyond = at - low;
        touch(first + low, 1 - beyond);
        if (beyond > 0 && low + 1 < knots) touch(first + low + 1, beyond);
      }
      first += knots;
    }
  };

  // --- half-spaces and gates ---------------------------------------------------------------------------------------------

  const z = Array.from({ length: count }, () => new Float64Array(size));

  // w.x + b of all half-spaces of network c, one row of the parameters after the other.
  const halfSpaces = c => {
    const out = z[c], start = c * rows * size, bias = start + biasRow * size;
    for (let column = 0; column < size; column++) out[column] = parameters[bias + column];
    for (let k = 0; k < touched; k++) {
      const share = shares[k], at = start + places[k] * size;
      if (share === 0) continue;
      for (let column = 0; column < size; column++) out[column] += share * parameters[at + column];
    }
    return out;
  };

  const softplus = value => Math.max(value, 0) + Math.log1p(Math.exp(-Math.abs(value)));
  const logSumExp = values => {
    const largest = Math.max(...values);
    return largest === -Infinity ? largest : largest + Math.log(values.reduce((sum, value) => sum + Math.exp(value - largest), 0));
  };

  const logConjunctions = values => Array.from({ length: N }, (_, i) => {
    let sum = 0;
    for (let k = i * M; k < (i + 1) * M; k++) sum -= softplus(-values[k]);
    return sum;
  });

  // Equation (4) in logarithms: log f - log(1 - f), right even where products of sigmoids underflow.
  const exactLogOdds = values => {
    const logG = logConjunctions(values);
    const logRest = logG.reduce((sum, own, i) => sum + (own < -1e-300 ? Math.log(-Math.expm1(own))
      : logSumExp(Array.from(values.subarray(i * M, (i + 1) * M), one => -one))), 0);
    return logRest > -1e-10 ? logSumExp(logG) : Math.log(-Math.expm1(logRest)) - logRest;
  };

  // The same by products, which are quicker; by logarithms where these underflow.
  const logOdds = values => {
    let f = 0, rest = 1;
    for (let i = 0; i < N; i++) {
      let excess = 0; // prod_j (1 + e**-z) - 1
      for (let k = i * M; k < (i + 1) * M; k++) {
        const e = Math.exp(-values[k]);
        excess += e + excess * e;
      }
      if (!(excess < 1e290)) continue; // g is nothing, or not a number
      f += rest / (1 + excess);
      rest *= excess / (1 + excess);
    }
    return f > 1e-250 && rest > 1e-250 ? Math.log(f) - Math.log(rest) : exactLogOdds(values);
  };

  const modularLogOdds = values => {
    let largest = -Infinity;
    for (let i = 0; i < N; i++) {
      let smallest = Infinity;
      for (let k = i * M; k < (i + 1) * M; k++) smallest = Math.min(smallest, values[k]);
      largest = Math.max(largest, smallest);
    }
    return largest;
  };

  // --- the ensemble and the probabilities --------------------------------------------------------------------------------

  const perMember = count / members, own = new Float64Array(count);

  const meanLogOdds = k => {
    if (members === 1) return own[k];
    const inside = [], outside = [];
    for (let member = 0; member < members; member++) {
      const value = own[member * perMember + k];
      inside.push(-softplus(-value));
      outside.push(-softplus(value));
    }
    return logSumExp(inside) - logSumExp(outside);
  };

  // Log-odds of each class's network; two classes have one network.
  const decisions = row => {
    encode(row);
    for (let c = 0; c < count; c++) {
      const values = halfSpaces(c);
      own[c] = modular ? modularLogOdds(values) : logOdds(values);
    }
    return Array.from({ length: perMember }, (_, k) => meanLogOdds(k));
  };

  const probabilitiesOf = odds => {
    if (odds.length === 1) {
      const positive = 1 / (1 + Math.exp(-factor * odds[0]));
      return [1 / (1 + Math.exp(factor * odds[0])), positive];
    }
    const largest = Math.max(...odds), powers = odds.map(one => Math.exp(factor * (one - largest)));
    const total = powers.reduce((sum, one) => sum + one, 0);
    return powers.map(one => one / total);
  };

  const classOf = odds => odds.length === 1 ? Number(odds[0] > 0) : odds.indexOf(Math.max(...odds));

  // How far the row is inside of a class, in log-odds: positive where the model decides for it.
  const marginOf = (odds, label) => odds.length === 1 ? (label ? odds[0] : -odds[0])
    : odds[label] - Math.max(...odds.filter((_, k) => k !== label));

  // What decided: votes of the members, and the conjunction with the largest output of the networks for a class.
  // If no network detects the class (the first of two), it is the other class's nearest conjunction that does not hold.
  const explain = row => {
    const odds = decisions(row), label = classOf(odds), about = perMember === 1 ? 1 : label, k = perMember === 1 ? 0 : label;
    let votes = 0, best = null;
    for (let member = 0; member < members; member++) {
      const one = Array.from(own.subarray(member * perMember, (member + 1) * perMember));
      votes += classOf(one) === label;
      const c = member * perMember + k;
      const outputs = modular ? Array.from({ length: N }, (_, i) => -softplus(-Math.min(...z[c].subarray(i * M, (i + 1) * M)))) : logConjunctions(z[c]);
      outputs.forEach((output, i) => { if (!best || output > best.output) best = { member, network: c, conjunction: i, output }; });
    }
    const M_own = networks.sizes[best.network][1];
    const margins = Array.from(z[best.network].subarray(best.conjunction * M, best.conjunction * M + M_own));
    return { odds, label, about, votes, members, ...best, output: Math.exp(best.output), margins };
  };

  // What each column of the matrix adds to a half-space: the weights times the features. (-1: products of two columns.)
  const owners = (() => {
    const found = new Int32Array(rows).fill(-1);
    numbers.forEach((column, k) => { if (!rotation) found[k] = column; });
    let first = biasRow + 1;
    for (const basis of bases) {
      found.fill(basis.column, first, first + basis.knots.length);
      first += basis.knots.length;
    }
    return found;
  })();

  const added = (row, network, halfSpace, width) => {
    const sums = new Float64Array(width);
    encode(row);
    for (let k = 0; k < touched; k++) {
      const column = owners[places[k]];
      if (column >= 0) sums[column] += shares[k] * parameters[(network * rows + places[k]) * size + halfSpace];
    }
    return sums;
  };

  // The smallest margin of each conjunction of a network: not negative inside of its polytope.
  const conjunctionMargins = (row, network) => {
    encode(row);
    const values = halfSpaces(network);
    return Array.from({ length: networks.sizes[network][0] }, (_, i) => Math.min(...values.subarray(i * M, (i + 1) * M)));
  };

  return {
    classes: data.classes, members, perMember, sizes: networks.sizes, N, M,
    decisions, probabilitiesOf, classOf, marginOf, explain, added, conjunctionMargins,
    probabilities: row => probabilitiesOf(decisions(row)),
    predict: row => classOf(decisions(row)),
  };
};
