// Random numbers with a seed, so that a shared address shows the same points and the same start.
"use strict";
window.ldnn ??= {};

ldnn.random = seed => {
  let state = seed >>> 0;
  const uniform = () => { // "mulberry32": 32 bits of state are enough for a few thousand points
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const permutation = length => {
    const order = Uint32Array.from({ length }, (_, k) => k);
    for (let k = length - 1; k > 0; k--) {
      const other = Math.floor(uniform() * (k + 1));
      [order[k], order[other]] = [order[other], order[k]];
    }
    return order;
  };
  return { uniform, normal, permutation };
};
