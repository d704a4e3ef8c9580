// k-means, one iteration at a time, so that a reader can watch it.
"use strict";

ldnn.clusters = (() => {
  const distance = (p, q) => (p.x - q.x) ** 2 + (p.y - q.y) ** 2;

  const nearest = (point, centroids) => {
    let best = 0;
    for (let k = 1; k < centroids.length; k++) {
      if (distance(point, centroids[k]) < distance(point, centroids[best])) best = k;
    }
    return best;
  };

  // The first centroids are points far from each other: each is drawn with a chance that grows with its squared distance.
  const start = (points, count, random) => {
    const centroids = [], far = points.map(() => 1);
    while (centroids.length < Math.min(count, points.length)) {
      let place = random.uniform() * far.reduce((sum, d) => sum + d, 0), chosen = 0;
      while (chosen < far.length - 1 && (place -= far[chosen]) >= 0) chosen++;
      if (far[chosen] === 0) break; // fewer different points than clusters
      centroids.push({ x: points[chosen].x, y: points[chosen].y });
      points.forEach((p, k) => { far[k] = centroids.length === 1 ? distance(p, centroids[0]) : Math.min(far[k], distance(p, centroids.at(-1))); });
    }
    return centroids;
  };

  // One iteration: the centroids move to the means of their points. Returns the largest move.
  const iterate = (points, centroids) => {
    const sums = centroids.map(() => ({ x: 0, y: 0, count: 0 }));
    for (const p of points) {
      const sum = sums[nearest(p, centroids)];
      sum.x += p.x; sum.y += p.y; sum.count++;
    }
    let move = 0;
    sums.forEach(({ x, y, count }, k) => {
      if (!count) return;
      const mean = { x: x / count, y: y / count };
      move = Math.max(move, Math.sqrt(distance(mean, centroids[k])));
      centroids[k] = mean;
    });
    return move;
  };

  return { start, iterate, nearest };
})();
