// Points {x, y, label}: label 1 is the positive class. The picture shows both coordinates from -SPAN to SPAN, so wide that
// the first half-spaces, whose normals have length 1, are neither sharp nor blurred.
"use strict";

ldnn.SPAN = 7.2;

ldnn.points = (() => {
  const point = (x, y, label) => ({ x, y, label });

  // The classical double moon (radius 1, width 0.7, separation -0.7), centred and enlarged.
  const moons = random => Array.from({ length: 400 }, (_, k) => {
    const label = k % 2, angle = Math.PI * (random.uniform() + (label ? 0 : 1));
    const radius = 1 + 0.7 * (random.uniform() - 0.5);
    const x = radius * Math.cos(angle) + (label ? 0 : 1), y = radius * Math.sin(angle) + (label ? 0 : 0.7);
    return point(3.6 * (x - 0.5), 3.6 * (y - 0.35), label);
  });

  // The classical two spirals: 2 x 97 points, three turns.
  const spirals = () => Array.from({ length: 194 }, (_, k) => {
    const step = k >> 1, angle = step * Math.PI / 16, radius = 6.5 * (104 - step) / 104, sign = k % 2 ? 1 : -1;
    return point(sign * radius * Math.sin(angle), sign * radius * Math.cos(angle), k % 2);
  });

  const islands = random => Array.from({ length: 360 }, (_, k) => {
    if (k % 2 === 0) {
      const angle = 2 * Math.PI * random.uniform(), radius = 4.5 + 0.5 * random.normal();
      return point(radius * Math.cos(angle), radius * Math.sin(angle), 0);
    }
    const [x, y] = [[0, 0], [-5.8, 5.8], [5.8, 5.8], [5.8, -5.8], [-5.8, -5.8]][(k >> 1) % 5];
    return point(x + 0.45 * random.normal(), y + 0.45 * random.normal(), 1);
  });

  const chessboard = random => Array.from({ length: 400 }, () => {
    const x = 11 * (random.uniform() - 0.5), y = 11 * (random.uniform() - 0.5);
    return point(x, y, x * y > 0 ? 1 : 0);
  });

  const generators = { moons, spirals, islands, chessboard, own: () => [] };
  return { names: Object.keys(generators), make: (name, seed) => generators[name](ldnn.random(seed)) };
})();
