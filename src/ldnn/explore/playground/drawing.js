// The picture of a network: its output f as colours, its half-spaces and polytopes, the points, the centroids.
"use strict";

ldnn.drawing = (() => {
  const CLASSES = [[230, 159, 0], [0, 114, 178]]; // orange and blue, told apart by every kind of eye
  const CONJUNCTIONS = ["#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7400", "#7b4bb7", "#0f6f6f", "#a02050"];
  const colorOf = i => CONJUNCTIONS[i % CONJUNCTIONS.length];
  const variable = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const SPAN = ldnn.SPAN;

  // f on a grid of size x size points, row by row from the top; coarser for large networks, so that it stays quick.
  const field = (net, steps) => {
    const size = Math.max(40, Math.min(steps, Math.floor(Math.sqrt(1.5e6 / (net.N * net.M)))));
    const values = new Float32Array(size * size), work = ldnn.network.workspace(net);
    for (let row = 0, k = 0; row < size; row++) {
      const y = SPAN * (1 - 2 * (row + 0.5) / size);
      for (let column = 0; column < size; column++, k++) {
        values[k] = ldnn.network.forward(net, SPAN * (2 * (column + 0.5) / size - 1), y, work);
      }
    }
    return { size, values };
  };

  const paintField = (context, { size, values }, width) => {
    const image = new ImageData(size, size), dark = document.documentElement.matches("[data-theme=dark]")
      || (matchMedia("(prefers-color-scheme: dark)").matches && !document.documentElement.matches("[data-theme=light]"));
    const paper = dark ? [29, 33, 38] : [255, 255, 255], strongest = dark ? 0.55 : 0.5;
    values.forEach((f, k) => {
      const color = CLASSES[f > 0.5 ? 1 : 0], share = strongest * (0.25 + 0.75 * Math.abs(2 * f - 1));
      for (let c = 0; c < 3; c++) image.data[4 * k + c] = paper[c] + share * (color[c] - paper[c]);
      image.data[4 * k + 3] = 255;
    });
    const small = document.createElement("canvas");
    small.width = small.height = size;
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, width, width);
  };

  // The line f = 0.5, cell by cell: where it crosses the sides of a cell of the grid.
  const paintBoundary = (context, { size, values }, width) => {
    const at = (row, column) => values[row * size + column] - 0.5;
    const cell = width / size;
    context.beginPath();
    for (let row = 0; row + 1 < size; row++) {
      for (let column = 0; column + 1 < size; column++) {
        const corners = [[0, 0], [0, 1], [1, 1], [1, 0]].map(([r, c]) => [column + c, row + r, at(row + r, column + c)]);
        const crossings = [];
        corners.forEach(([x, y, f], k) => {
          const [nextX, nextY, next] = corners[(k + 1) % 4];
          if ((f > 0) === (next > 0)) return;
          const share = f / (f - next);
          crossings.push([(x + share * (nextX - x) + 0.5) * cell, (y + share * (nextY - y) + 0.5) * cell]);
        });
        for (let k = 0; k + 1 < crossings.length; k += 2) {
          context.moveTo(...crossings[k]);
          context.lineTo(...crossings[k + 1]);
        }
      }
    }
    context.strokeStyle = variable("--ink");
    context.lineWidth = 2;
    context.stroke();
  };

  const painter = canvas => {
    const context = canvas.getContext("2d");
    let width = 0;
    const place = (x, y) => [(x / SPAN + 1) * width / 2, (1 - y / SPAN) * width / 2];
    const path = corners => {
      context.beginPath();
      corners.forEach(([x, y], k) => context[k ? "lineTo" : "moveTo"](...place(x, y)));
      context.closePath();
    };

    // The canvas has as many pixels as the screen shows, and is drawn in CSS pixels.
    const clear = () => {
      const ratio = window.devicePixelRatio || 1;
      width = canvas.clientWidth;
      if (canvas.width !== Math.round(width * ratio)) canvas.width = canvas.height = Math.round(width * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.fillStyle = variable("--paper");
      context.fillRect(0, 0, width, width);
    };

    // The lines w.x + b = 0 of a conjunction, with short strokes on the side where it holds.
    const halfSpaces = (net, i) => {
      context.strokeStyle = colorOf(i);
      context.lineWidth = 1.2;
      for (let k = i * net.M; k < (i + 1) * net.M; k++) {
        const length = Math.hypot(net.w[2 * k], net.w[2 * k + 1]);
        if (!length) continue;
        const nx = net.w[2 * k] / length, ny = net.w[2 * k + 1] / length, offset = -net.b[k] / length;
        const [x, y] = [nx * offset, ny * offset], far = 3 * SPAN;
        if (Math.hypot(x, y) > 2 * SPAN) continue;
        context.globalAlpha = 0.75;
        context.beginPath();
        context.moveTo(...place(x - far * ny, y + far * nx));
        context.lineTo(...place(x + far * ny, y - far * nx));
        context.stroke();
        context.globalAlpha = 0.45;
        context.beginPath();
        for (let step = -far; step < far; step += 0.09 * SPAN) {
          context.moveTo(...place(x + step * ny, y - step * nx));
          context.lineTo(...place(x + step * ny + 0.028 * SPAN * nx, y - step * nx + 0.028 * SPAN * ny));
        }
        context.stroke();
        context.globalAlpha = 1;
      }
    };

    const polytope = (net, i) => {
      const corners = ldnn.network.polygon(net, i, 1.05 * SPAN);
      if (corners.length < 3) return;
      path(corners);
      context.strokeStyle = colorOf(i);
      context.lineWidth = 3.5;
      context.lineJoin = "round";
      context.stroke();
    };

    const points = (list, isWrong) => {
      const size = width < 420 ? 2.6 : 3.4;
      for (const point of list) {
        const [x, y] = place(point.x, point.y);
        context.beginPath();
        if (point.label) context.arc(x, y, size, 0, 7);
        else context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
        context.fillStyle = `rgb(${CLASSES[point.label]})`;
        context.strokeStyle = isWrong?.(point) ? variable("--ink") : variable("--paper");
        context.lineWidth = isWrong?.(point) ? 2 : 0.8;
        context.fill();
        context.stroke();
      }
    };

    const centroids = (positive, negative) => {
      [negative, positive].forEach((group, label) => group.forEach((centroid, k) => {
        const [x, y] = place(centroid.x, centroid.y);
        context.beginPath();
        if (label) context.arc(x, y, 9, 0, 7);
        else context.rect(x - 8, y - 8, 16, 16);
        context.fillStyle = variable("--paper");
        context.fill();
        context.strokeStyle = `rgb(${CLASSES[label]})`;
        context.lineWidth = 3;
        context.stroke();
        context.fillStyle = variable("--ink");
        context.font = "bold 10px system-ui, sans-serif";
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(k + 1, x, y + 0.5);
      }));
    };

    // Thin lines from each point to its centroid.
    const memberships = (list, groups) => {
      context.lineWidth = 0.7;
      context.globalAlpha = 0.5;
      for (const point of list) {
        const centroid = groups[point.label][ldnn.clusters.nearest(point, groups[point.label])];
        if (!centroid) continue;
        context.strokeStyle = `rgb(${CLASSES[point.label]})`;
        context.beginPath();
        context.moveTo(...place(point.x, point.y));
        context.lineTo(...place(centroid.x, centroid.y));
        context.stroke();
      }
      context.globalAlpha = 1;
    };

    const cursor = ({ x, y }) => {
      const [h, v] = place(x, y);
      context.strokeStyle = variable("--ink");
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(h - 12, v); context.lineTo(h + 12, v);
      context.moveTo(h, v - 12); context.lineTo(h, v + 12);
      context.stroke();
    };

    return {
      clear, halfSpaces, polytope, points, centroids, memberships, cursor,
      output: (net, steps, withColors) => {
        const grid = field(net, steps);
        if (withColors) paintField(context, grid, width);
        return () => paintBoundary(context, grid, width);
      },
      width: () => width,
    };
  };

  // The curves of loss and error over the epochs.
  const curves = (canvas, history) => {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d"), left = 8, right = 8, top = 8, bottom = 20;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const last = Math.max(history.at(-1)?.epoch ?? 0, 1);
    const highest = Math.max(...history.map(one => Math.max(one.error, one.loss)), 0.05);
    const spot = (epoch, value) => [left + (width - left - right) * epoch / last, top + (height - top - bottom) * (1 - value / highest)];
    context.strokeStyle = variable("--line");
    context.strokeRect(left, top, width - left - right, height - top - bottom);
    const draw = (key, color, dash) => {
      context.beginPath();
      history.forEach((one, k) => context[k ? "lineTo" : "moveTo"](...spot(one.epoch, one[key])));
      context.setLineDash(dash);
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.stroke();
      context.setLineDash([]);
    };
    draw("loss", variable("--dim"), [5, 4]);
    draw("error", variable("--accent"), []);
    context.fillStyle = variable("--dim");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "bottom";
    context.textAlign = "left";
    context.fillText("epoch 0", left, height - 2);
    context.textAlign = "right";
    context.fillText(`${history.at(-1)?.epoch ?? 0}`, width - right, height - 2);
    context.textBaseline = "top";
    context.fillText(highest.toPrecision(2), width - right - 4, top + 3);
  };

  return { painter, curves, colorOf, CLASSES };
})();
