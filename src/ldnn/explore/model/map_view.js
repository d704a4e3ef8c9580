// Two columns as a map: the probability where the other columns are those of the row, the rows, and polytopes.
"use strict";

ldnn.mapView = app => {
  const { $, columns, model, state } = app, canvas = $("plane"), classes = model.classes;
  const STEPS = 44, EDGE = { left: 24, right: 8, top: 8, bottom: 24 };
  let token = 0, grid = null;

  const axis = k => {
    const column = columns.list[k];
    if (column.kind === "category") return { column, low: -0.5, high: column.categories.length - 0.5, steps: column.categories.length };
    const own = Number.isNaN(app.values()[k]) ? column.from : app.values()[k];
    const [low, high] = [Math.min(column.from, own), Math.max(column.to, own)].map(end => columns.warp(column, end));
    const margin = 0.03 * (high - low || 1);
    return { column, low: low - margin, high: high + margin, steps: STEPS };
  };

  const value = ({ column, low, high, steps }, k) => (column.kind === "category" ? k : columns.unwarp(column, low + (k + 0.5) * (high - low) / steps));

  // Probabilities, and the smallest margins of conjunctions if polytopes are shown, on a grid; in small pieces.
  const compute = async (x, y, pause) => {
    const values = app.values().slice(), row = new Float64Array(columns.width);
    const p = new Float32Array(x.steps * y.steps), margins = [];
    const network = state.polytopes < 0 ? -1 : state.polytopes * model.perMember + (model.perMember === 1 ? 0 : state.shown);
    for (let v = 0; v < y.steps; v++) {
      for (let h = 0; h < x.steps; h++) {
        values[state.map[0]] = value(x, h);
        values[state.map[1]] = value(y, v);
        columns.toMatrix(values, row);
        p[v * x.steps + h] = model.probabilities(row)[state.shown];
        if (network >= 0) margins.push(model.conjunctionMargins(row, network));
      }
      if (!await pause()) return null;
    }
    return { x, y, p, margins };
  };

  const frame = () => {
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return { context, width, height, inner: [width - EDGE.left - EDGE.right, height - EDGE.top - EDGE.bottom] };
  };

  const paintField = ({ context, inner }) => {
    const { x, y, p } = grid, image = new ImageData(x.steps, y.steps);
    const hex = ldnn.plots.colorOf(state.shown, classes.length), strong = [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));
    const paper = app.isDark() ? [29, 33, 38] : [255, 255, 255];
    p.forEach((share, k) => {
      const at = 4 * ((y.steps - 1 - Math.floor(k / x.steps)) * x.steps + k % x.steps);
      for (let c = 0; c < 3; c++) image.data[at + c] = paper[c] + 0.75 * share * (strong[c] - paper[c]);
      image.data[at + 3] = 255;
    });
    const small = document.createElement("canvas");
    [small.width, small.height] = [x.steps, y.steps];
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = x.column.kind !== "category" && y.column.kind !== "category";
    context.drawImage(small, EDGE.left, EDGE.top, ...inner);
  };

  // The line where a value of the grid is 0, cell by cell.
  const contour = ({ context, inner }, at, color, width) => {
    const { x, y } = grid;
    const place = (h, v) => [EDGE.left + inner[0] * (h + 0.5) / x.steps, EDGE.top + inner[1] * (1 - (v + 0.5) / y.steps)];
    context.beginPath();
    for (let v = 0; v + 1 < y.steps; v++) {
      for (let h = 0; h + 1 < x.steps; h++) {
        const corners = [[h, v], [h + 1, v], [h + 1, v + 1], [h, v + 1]], values = corners.map(([a, b]) => at(b * x.steps + a)), crossings = [];
        corners.forEach(([a, b], k) => {
          const next = corners[(k + 1) % 4], here = values[k], there = values[(k + 1) % 4];
          if ((here > 0) === (there > 0)) return;
          const share = here / (here - there);
          crossings.push(place(a + share * (next[0] - a), b + share * (next[1] - b)));
        });
        for (let k = 0; k + 1 < crossings.length; k += 2) { context.moveTo(...crossings[k]); context.lineTo(...crossings[k + 1]); }
      }
    }
    Object.assign(context, { strokeStyle: color, lineWidth: width });
    context.stroke();
  };

  const place = ({ inner }, row) => {
    const share = (axis, value) => (columns.warp(axis.column, value) - axis.low) / (axis.high - axis.low);
    return [EDGE.left + inner[0] * share(grid.x, row[state.map[0]]), EDGE.top + inner[1] * (1 - share(grid.y, row[state.map[1]]))];
  };

  const isInside = ({ inner }, h, v) => h >= EDGE.left && h <= EDGE.left + inner[0] && v >= EDGE.top && v <= EDGE.top + inner[1];

  const jitter = (k, axis) => (axis.column.kind === "category" ? (((k * 2654435761) >>> 0) / 2 ** 32 - 0.5) * 0.6 : 0);

  const paintRows = area => {
    const { context } = area, paper = app.variable("--paper");
    app.rows().forEach((row, k) => {
      const moved = row.slice();
      moved[state.map[0]] += jitter(k, grid.x);
      moved[state.map[1]] += jitter(k + 7, grid.y);
      const [h, v] = place(area, moved);
      if (!isInside(area, h, v)) return;
      context.beginPath();
      context.arc(h, v, 3, 0, 7);
      context.fillStyle = app.hasLabels ? ldnn.plots.colorOf(app.label(k), classes.length) : app.variable("--dim");
      Object.assign(context, { strokeStyle: paper, lineWidth: 0.8 });
      context.fill();
      context.stroke();
    });
    const [h, v] = place(area, app.values());
    if (Number.isNaN(h + v)) return;
    context.beginPath();
    context.arc(h, v, 8, 0, 7);
    Object.assign(context, { strokeStyle: app.variable("--ink"), lineWidth: 3 });
    context.stroke();
  };

  // Names and ends of both axes.
  const paintAxes = ({ context, inner, height }) => {
    Object.assign(context, { fillStyle: app.variable("--dim"), font: "13px system-ui, sans-serif", textBaseline: "middle" });
    const write = (axis, length) => {
      const isCategory = axis.column.kind === "category", fit = isCategory ? axis.steps : 2;
      const shorten = text => (text.length > 22 ? `${text.slice(0, 20)}…` : text);
      if (isCategory) {
        context.textAlign = "center";
        axis.column.categories.forEach((name, k) => context.fillText(shorten(name), length * (k + 0.5) / fit, 0, length / fit - 4));
        return;
      }
      [["left", 0, columns.text(axis.column, axis.column.from)], ["center", length / 2, shorten(axis.column.name)], ["right", length, columns.text(axis.column, axis.column.to)]]
        .forEach(([align, at, text]) => { context.textAlign = align; context.fillText(text, at, 0, length / 3); });
    };
    context.save();
    context.translate(EDGE.left, height - EDGE.bottom / 2 + 1);
    write(grid.x, inner[0]);
    context.restore();
    context.save();
    context.translate(EDGE.left / 2, EDGE.top + inner[1]);
    context.rotate(-Math.PI / 2);
    write(grid.y, inner[1]);
    context.restore();
  };

  const draw = () => {
    if (!grid) return;
    const area = frame();
    paintField(area);
    const isPlane = grid.x.column.kind !== "category" && grid.y.column.kind !== "category";
    if (isPlane && grid.margins.length) {
      grid.margins[0].forEach((_, i) => contour(area, k => grid.margins[k][i], ["#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#b5a500"][i % 5], 1.6));
    }
    if (isPlane) contour(area, k => grid.p[k] - 0.5, app.variable("--ink"), 2);
    paintRows(area);
    paintAxes(area);
  };

  const facts = () => {
    const [x, y] = state.map.map(k => columns.list[k]), isOut = (row, k) => {
      const { kind, from, to } = columns.list[k];
      return Number.isNaN(row[k]) || (kind === "category" ? row[k] < 0 : row[k] < from || row[k] > to);
    };
    const out = app.rows().filter(row => state.map.some(k => isOut(row, k))).length;
    $("map-facts").textContent = `Across: ${x.name}. Up: ${y.name}. Colour: the probability of ${classes[state.shown]} if all other columns are those of the row above (ring); the line is at 50 %. Dots: the rows of the page${app.hasLabels ? ", coloured by their class" : ""}; their other columns differ. The middle 98 % of each column are drawn${out ? `, so up to ${out} rows are outside or have no value` : ""}. Click, or use the arrow keys, to move the row.`;
    canvas.setAttribute("aria-label", `Map of the probability of ${classes[state.shown]} over ${x.name} and ${y.name}`);
  };

  const refresh = async () => {
    const own = ++token, [x, y] = state.map.map(axis);
    facts();
    const found = await compute(x, y, app.pauser(() => own === token));
    if (!found) return;
    grid = found;
    draw();
  };

  const move = (h, v) => {
    const limit = (axis, value) => {
      const inside = Math.min(Math.max(value, axis.column.kind === "category" ? 0 : axis.column.low), axis.column.kind === "category" ? axis.steps - 1 : axis.column.high);
      return axis.column.kind === "category" || axis.column.whole ? Math.round(inside) : Number(inside.toPrecision(6));
    };
    app.changeSome([[state.map[0], limit(grid.x, h)], [state.map[1], limit(grid.y, v)]]);
  };

  const listen = () => {
    canvas.addEventListener("click", event => {
      if (!grid) return;
      const box = canvas.getBoundingClientRect();
      const h = (event.clientX - box.left - EDGE.left) / (box.width - EDGE.left - EDGE.right), v = 1 - (event.clientY - box.top - EDGE.top) / (box.height - EDGE.top - EDGE.bottom);
      const at = (axis, share) => columns.unwarp(axis.column, axis.low + share * (axis.high - axis.low));
      move(at(grid.x, h), at(grid.y, v));
    });
    canvas.addEventListener("keydown", event => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!step || !grid) return;
      event.preventDefault();
      const moved = (axis, k, by) => {
        const { column, low, high } = axis, isWhole = column.kind === "category" || (column.whole && column.to - column.from < 50);
        return isWhole ? app.values()[k] + by : columns.unwarp(column, columns.warp(column, app.values()[k]) + by * (high - low) / 50);
      };
      move(moved(grid.x, state.map[0], step[0]), moved(grid.y, state.map[1], step[1]));
    });
    for (const [id, place] of [["map-x", 0], ["map-y", 1]]) {
      columns.list.forEach((column, k) => { if (column.used) $(id).append(new Option(column.name, k)); });
      $(id).addEventListener("change", () => { state.map[place] = Number($(id).value); app.viewChanged(); });
    }
    $("polytopes-of").hidden = model.members === 0;
    $("polytopes").append(new Option("no network", -1), ...Array.from({ length: model.members }, (_, k) => new Option(model.members === 1 ? "the network" : `network ${k + 1} of ${model.members}`, k)));
    $("polytopes").addEventListener("change", () => { state.polytopes = Number($("polytopes").value); app.viewChanged(); });
    document.addEventListener("themechange", draw);
    window.addEventListener("resize", draw);
  };

  const show = () => { $("map-x").value = state.map[0]; $("map-y").value = state.map[1]; $("polytopes").value = state.polytopes; };

  listen();
  return { refresh, show };
};
