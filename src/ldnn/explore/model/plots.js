// Small drawings, as SVG elements that follow the colours of the page.
"use strict";

ldnn.plots = (() => {
  const element = (name, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };

  const COLORS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b5a500", "#888888"];
  // Of two classes, the second is blue as everywhere in ldnn, the first orange.
  const colorOf = (label, count) => COLORS[(count === 2 ? 1 - label : label) % COLORS.length];

  const line = points => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");

  // curves: [{ points: [[x, y]], name, dash }], x and y from 0 to 1.
  const roc = (curves, label) => {
    const size = 220, place = ([x, y]) => [10 + x * (size - 20), size - 10 - y * (size - 20)];
    return element("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": label },
      element("rect", { x: 10, y: 10, width: size - 20, height: size - 20, class: "frame" }),
      element("path", { d: line([[0, 0], [1, 1]].map(place)), class: "diagonal" }),
      ...curves.map(({ points, name }, k) => element("path", { d: line(points.map(place)), class: `curve curve-${k}` }, element("title", {}, name))));
  };

  // A curve over the values of a column, with the mean, the row's own curve and the row's value.
  const shape = ({ column, grid, means, own, value, warp, counts, label }) => {
    const width = 260, height = 100, left = 4, top = 6, bottom = 6, right = 4;
    const isCategory = column.kind === "category", inner = width - left - right;
    const share = one => (warp(one) - warp(grid[0])) / (warp(grid.at(-1)) - warp(grid[0]) || 1);
    const x = q => (isCategory || grid.length === 1 ? left + inner * (q + 0.5) / grid.length : left + inner * share(grid[q]));
    const y = p => top + (height - top - bottom) * (1 - p);
    const most = Math.max(...counts, 1), bar = inner / counts.length;
    const parts = counts.map((count, q) => element("rect", {
      x: left + q * bar + 0.5, y: height - bottom - 22 * count / most, width: Math.max(bar - 1, 0.5), height: 22 * count / most, class: "rows",
    }));
    parts.push(element("line", { x1: left, x2: width - right, y1: y(0.5), y2: y(0.5), class: "diagonal" }));
    if (isCategory) {
      means.forEach((p, q) => parts.push(element("line", { x1: x(q) - bar * 0.35, x2: x(q) + bar * 0.35, y1: y(p), y2: y(p), class: "curve curve-0" })));
      own.forEach((p, q) => parts.push(element("circle", { cx: x(q), cy: y(p), r: 2.5, class: "own-dot" })));
    } else {
      parts.push(element("path", { d: line(means.map((p, q) => [x(q), y(p)])), class: "curve curve-0" }));
      parts.push(element("path", { d: line(own.map((p, q) => [x(q), y(p)])), class: "curve own" }));
    }
    const at = isCategory ? grid.indexOf(value) : value;
    if (isCategory ? at >= 0 : !Number.isNaN(value)) {
      const place = isCategory ? x(at) : Math.min(Math.max(left + inner * share(value), left), width - right);
      parts.push(element("line", { x1: place, x2: place, y1: top, y2: height - bottom, class: "here" }));
    }
    return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...parts);
  };

  // points: [{ conditions, errors }], from few to many conditions; now: the chosen one; level: the errors of the model.
  const frontier = (points, now, level, percent, label) => {
    const width = 320, height = 110, left = 42, right = 10, top = 10, bottom = 18;
    const most = Math.max(points.at(-1).conditions, 1), highest = Math.max(...points.map(one => one.errors), level, 0.001);
    const x = conditions => left + (width - left - right) * conditions / most, y = errors => top + (height - top - bottom) * (1 - errors / highest);
    const text = (h, v, content, anchor) => element("text", { x: h, y: v, "text-anchor": anchor }, content);
    return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      element("line", { x1: left, x2: width - right, y1: y(0), y2: y(0), class: "frame" }),
      element("path", { d: line([[left, y(level)], [width - right, y(level)]]), class: "curve curve-1" }),
      element("path", { d: line(points.map(one => [x(one.conditions), y(one.errors)])), class: "curve curve-0" }),
      ...points.map((one, k) => element("circle", { cx: x(one.conditions), cy: y(one.errors), r: k === now ? 5 : 3, class: `dot ${k === now ? "now" : ""}` })),
      text(left - 4, top + 4, percent(highest), "end"), text(left - 4, y(0) + 3, "0 %", "end"),
      text(left, height - 5, "0", "middle"), text(width - right, height - 5, `${most} conditions`, "end"));
  };

  return { element, frontier, roc, shape, colorOf, line };
})();
