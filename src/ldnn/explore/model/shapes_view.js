// The shape of every column, computed when it comes into view.
"use strict";

ldnn.shapesView = (app, create) => {
  const { $, columns, model, state } = app, shapes = ldnn.shapes(model, columns, app.rows());
  const order = columns.list.map((_, k) => k).filter(k => columns.list[k].used).sort((a, b) => columns.list[b].importance - columns.list[a].importance);
  const known = new Map(), visible = new Set(); // means by column and class; columns in view
  let running = false;

  const cards = new Map(order.map(k => {
    const figure = create("figure", { className: "shape" }, create("figcaption", { textContent: columns.list[k].name }), create("div", { className: "drawing" }), create("small"));
    figure.dataset.column = k;
    return [k, figure];
  }));

  const counts = (column, k, grid) => {
    const at = value => columns.warp(column, value), found = grid.map(() => 0), low = at(grid[0]);
    const step = (at(grid.at(-1)) - low) / (grid.length - 1) || 1;
    for (const row of app.rows()) {
      const q = column.kind === "category" ? grid.indexOf(row[k]) : Math.round((at(row[k]) - low) / step);
      if (q >= 0 && q < found.length) found[q]++;
    }
    return found;
  };

  const drawOne = k => {
    const column = columns.list[k], found = known.get(`${k}.${state.shown}`);
    if (!found) return;
    const { grid, means } = found, own = shapes.along(app.values(), k, grid, state.shown), value = app.values()[k];
    const label = `${column.name}: mean probability of ${model.classes[state.shown]} from ${app.percent(Math.min(...means))} to ${app.percent(Math.max(...means))}`;
    const drawing = ldnn.plots.shape({ column, grid, means, own, value, warp: one => columns.warp(column, one), counts: counts(column, k, grid), label });
    cards.get(k).children[1].replaceChildren(drawing);
    const ends = column.kind === "category" ? grid.slice(0, 4).map(code => columns.text(column, code)).join(" · ") + (grid.length > 4 ? " …" : "")
      : `${columns.text(column, grid[0])} … ${columns.text(column, grid.at(-1))}`;
    cards.get(k).children[2].textContent = ends;
  };

  const work = async () => {
    if (running) return;
    running = true;
    for (;;) {
      const k = order.find(one => visible.has(one) && !known.has(`${one}.${state.shown}`));
      if (k === undefined) break;
      const label = state.shown, found = await shapes.mean(k, label, app.pauser(() => label === state.shown));
      if (found) { known.set(`${k}.${label}`, found); drawOne(k); }
    }
    running = false;
  };

  const observer = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      const k = Number(target.dataset.column);
      if (isIntersecting) { visible.add(k); drawOne(k); } else visible.delete(k);
    }
    work();
  }, { rootMargin: "200px" });

  const refresh = () => {
    $("shapes-facts").textContent = `How the probability of ${model.classes[state.shown]} changes with one column: the mean over ${shapes.sampleSize} rows of the page (thick), and for the row above (thin; the upright line is its value). From 0 at the bottom to 1 at the top; grey bars count the rows. The most important column comes first.`;
    for (const k of visible) drawOne(k);
    work();
  };

  $("shape-list").replaceChildren(...cards.values());
  for (const figure of cards.values()) observer.observe(figure);
  return { refresh };
};
