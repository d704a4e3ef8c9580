// The row: a control for every column, the decision, and what would change it.
"use strict";

ldnn.rowView = app => {
  const { $, columns, model, state } = app, FIRST = 10; // columns that are shown before a reader asks for all
  const order = columns.list.map((_, k) => k).sort((a, b) => columns.list[b].used - columns.list[a].used || columns.list[b].importance - columns.list[a].importance);
  const fields = [];
  const few = order.filter(k => columns.list[k].used).slice(0, FIRST), isShort = columns.list.length <= FIRST + 2 && few.length === columns.list.length;
  let showsAll = isShort || few.length === 0;

  const create = (name, properties = {}, ...children) => {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  };

  // --- controls ------------------------------------------------------------------------------------------------------

  const stepOf = column => (column.whole ? 1 : Number(((column.high - column.low || 1) / 200).toPrecision(1)));

  // A slider; one of a column over several magnitudes moves in logarithms, by three digits.
  const slider = (column, k) => {
    const isLog = columns.isLog(column), [min, max] = [column.low, column.high].map(end => columns.warp(column, end));
    const range = create("input", { type: "range", id: `f${k}`, min, max, step: isLog ? (max - min) / 200 : stepOf(column) });
    range.addEventListener("input", () => {
      const value = columns.unwarp(column, Number(range.value));
      app.change(k, isLog ? Number(value.toPrecision(3)) : value);
    });
    return range;
  };

  const categoryControl = (column, k) => {
    const select = create("select", { id: `f${k}` });
    column.categories.forEach((name, code) => select.append(new Option(name, code)));
    select.append(new Option("unknown", -1));
    if (column.missing) select.append(new Option("missing", "NaN"));
    select.addEventListener("change", () => app.change(k, Number(select.value)));
    return { nodes: [select], show: value => { select.value = Number.isNaN(value) ? "NaN" : value; } };
  };

  // Truth values, and other columns of two neighbouring whole numbers.
  const pairControl = (column, k) => {
    const select = create("select", { id: `f${k}` }, ...[column.low, column.high].map(value => new Option(columns.text(column, value), value)));
    select.addEventListener("change", () => app.change(k, Number(select.value)));
    return { nodes: [select], show: value => { select.disabled = Number.isNaN(value); select.value = value; } };
  };

  const numberControl = (column, k) => {
    const range = slider(column, k), box = create("input", { type: "number", step: "any" });
    box.setAttribute("aria-label", `${column.name}, as a number`);
    box.addEventListener("change", () => { if (box.value !== "" && Number.isFinite(Number(box.value))) app.change(k, Number(box.value)); });
    const show = value => {
      range.disabled = box.disabled = Number.isNaN(value);
      if (Number.isNaN(value)) { box.value = ""; return; }
      range.value = columns.warp(column, value);
      range.setAttribute("aria-valuetext", columns.text(column, value));
      box.value = Number(value.toPrecision(6));
    };
    return { nodes: [range, box], show };
  };

  const dateControl = (column, k) => {
    const withTime = !column.whole;
    const range = create("input", { type: "range", id: `f${k}`, min: column.low, max: column.high, step: withTime ? 1 / 24 : 1 });
    const box = create("input", { type: withTime ? "datetime-local" : "date" });
    box.setAttribute("aria-label", `${column.name}, as a date`);
    range.addEventListener("input", () => app.change(k, Number(range.value)));
    box.addEventListener("change", () => { if (!Number.isNaN(box.valueAsNumber)) app.change(k, box.valueAsNumber / 864e5); });
    const show = value => {
      range.disabled = box.disabled = Number.isNaN(value);
      if (Number.isNaN(value)) { box.value = ""; return; }
      range.value = value;
      range.setAttribute("aria-valuetext", columns.text(column, value));
      box.value = columns.isoOf(value).slice(0, withTime ? 16 : 10);
    };
    return { nodes: [range, box], show };
  };

  const missingBox = (column, k) => {
    const box = create("input", { type: "checkbox" });
    const known = () => (Number.isNaN(app.original(k)) ? app.median(k) : app.original(k));
    box.addEventListener("change", () => app.change(k, box.checked ? NaN : known()));
    return { node: create("label", { className: "small" }, box, " missing"), show: value => { box.checked = Number.isNaN(value); } };
  };

  const field = k => {
    const column = columns.list[k];
    const isPair = column.kind === "number" && column.whole && column.high - column.low === 1;
    const control = isPair ? pairControl : { category: categoryControl, date: dateControl }[column.kind] ?? numberControl;
    const { nodes, show } = control(column, k);
    const unit = columns.unit(column), name = unit ? `${column.name} (${unit})` : column.name;
    const label = create("label", { htmlFor: `f${k}`, textContent: name, className: "name" });
    const was = create("span", { className: "was" });
    const lock = create("input", { type: "checkbox" });
    lock.setAttribute("aria-label", `${column.name} may not change`);
    lock.addEventListener("change", () => app.lock(k, lock.checked));
    const missing = column.missing && column.kind !== "category" ? missingBox(column, k) : null;
    const node = create("div", { className: `field ${column.used ? "" : "unused"}` }, label,
      create("div", { className: "control" }, ...nodes, ...(missing ? [missing.node] : [])),
      create("label", { className: "small lock", title: "The smallest change leaves this column as it is" }, lock, " keep"), was);
    const refresh = (value, original) => {
      show(value);
      missing?.show(value);
      lock.checked = state.locked.has(k);
      const isChanged = columns.distance(column, value, original) > 0;
      node.classList.toggle("changed", isChanged);
      was.textContent = isChanged ? `was ${columns.phrase(column, original)}` : column.used ? "" : "not used by the model";
    };
    return { node, refresh, k };
  };

  const listFields = () => {
    const shown = showsAll ? order : few;
    fields.splice(0, fields.length, ...shown.map(field));
    $("fields").replaceChildren(...fields.map(one => one.node));
    $("more").hidden = isShort;
    $("more").textContent = showsAll ? "Show the most important columns only" : `Show all ${columns.list.length} columns`;
  };

  // --- results -------------------------------------------------------------------------------------------------------

  const decision = probabilities => {
    const label = model.predict(app.matrixRow()), truth = app.label(state.row), words = [];
    words.push(`Predicted: ${model.classes[label]}, with probability ${app.percent(probabilities[label])}.`);
    if (state.changes.size) words.push(`Without the ${state.changes.size === 1 ? "change" : `${state.changes.size} changes`}: ${model.classes[app.decisionOfStart()]}.`);
    else if (truth !== null) words.push(truth === label ? "That is right." : `The row is ${model.classes[truth]}: an error.`);
    $("decision").textContent = words.join(" ");
  };

  const bars = probabilities => {
    const order = probabilities.map((p, k) => ({ p, k })).sort((a, b) => (probabilities.length > 2 ? b.p - a.p : b.k - a.k)).slice(0, 8);
    $("bars").replaceChildren(...order.map(({ p, k }) => {
      const bar = create("i");
      bar.style.width = `${100 * p}%`;
      bar.style.background = ldnn.plots.colorOf(k, model.classes.length);
      return create("div", { className: "probability" }, create("span", { textContent: model.classes[k] }),
        create("span", { className: "track" }, bar), create("b", { textContent: app.percent(p) }));
    }));
  };

  const conjunction = () => {
    $("why").hidden = model.isRules === true;
    if (model.isRules) return;
    const why = model.explain(app.matrixRow()), holds = why.margins.every(margin => margin >= 0);
    const lines = why.margins.map((margin, j) => ({ margin, j })).sort((a, b) => a.margin - b.margin).slice(0, 4);
    const means = app.meanRow();
    const items = lines.map(({ margin, j }) => {
      const place = why.conjunction * model.M + j, own = model.added(app.matrixRow(), why.network, place, columns.width);
      const usual = model.added(means, why.network, place, columns.width), sums = columns.list.map(() => 0);
      columns.ofMatrix.forEach(({ table }, m) => { sums[table] += own[m] - usual[m]; });
      const top = sums.map((sum, k) => ({ sum, k })).sort((a, b) => Math.abs(b.sum) - Math.abs(a.sum)).slice(0, 3).filter(({ sum }) => Math.abs(sum) > 1e-9);
      const text = top.map(({ sum, k }) => `${columns.list[k].name} ${sum < 0 ? "−" : "+"}${Math.abs(sum).toFixed(1)}`).join(", ");
      const bar = create("span", { className: `margin ${margin < 0 ? "outside" : ""}` });
      bar.style.width = `${Math.min(Math.abs(margin), 8) * 6}%`;
      return create("li", {}, create("span", { className: "track" }, bar), create("b", { textContent: `${margin < 0 ? "−" : "+"}${Math.abs(margin).toFixed(1)}` }), ` ${text}`);
    });
    const where = why.members > 1 ? ` of network ${why.member + 1} of ${why.members}` : "";
    const votes = why.members > 1 ? `${why.votes} of ${why.members} networks decide so. ` : "";
    $("conjunction").replaceChildren(
      create("p", { textContent: `${votes}Nearest is conjunction ${why.conjunction + 1}${where} for ${model.classes[why.about]}: ${holds ? "all of its half-spaces hold" : "not all of its half-spaces hold"} (output ${why.output.toFixed(2)}).` }),
      create("ul", { className: "margins" }, ...items),
      create("p", { className: "facts", textContent: "Margins w·x + b of its closest half-spaces, and the columns that add or take most compared with the median row." }));
  };

  const counterfactual = found => {
    if (!found) { $("counterfactual").replaceChildren(create("p", { textContent: "Searching …", className: "facts" })); return; }
    if (!found.best) {
      const none = found.exact ? "No change of the columns that may change would change the decision." : state.locked.size ? "None was found with the columns that may change." : "None was found.";
      $("counterfactual").replaceChildren(create("p", { textContent: none }));
      return;
    }
    const claim = found.exact ? "The smallest change, with round values" : "The smallest change that a search found";
    const now = app.values(), items = columns.list.flatMap((column, k) => columns.distance(column, now[k], found.best.values[k]) > 0
      ? [create("li", {}, ...(column.flag ? [] : [create("b", { textContent: column.name }), ": "]), `${columns.phrase(column, now[k])} → ${columns.phrase(column, found.best.values[k])}`)] : []);
    const button = create("button", { type: "button", textContent: "Change the row so" });
    button.addEventListener("click", () => app.changeAll(found.best.values));
    $("counterfactual").replaceChildren(create("ul", {}, ...items),
      create("p", {}, `then ${model.classes[found.best.label]}. `, create("span", { className: "facts", textContent: `${claim}: ${found.best.size.toFixed(2)} standard deviations in all; another category counts as 1.` })), button);
  };

  const listen = () => {
    app.rowNumbers().forEach((number, k) => {
      const truth = app.label(k);
      $("start").append(new Option(`${number}${truth === null ? "" : ` (${model.classes[truth]})`}`, k));
    });
    $("start").addEventListener("change", () => app.startFrom(Number($("start").value)));
    $("random").addEventListener("click", () => app.startFrom((state.row + 1 + Math.floor(Math.random() * (app.rowCount - 1))) % app.rowCount));
    $("next-error").hidden = !app.hasLabels;
    $("next-error").addEventListener("click", () => app.startFrom(app.nextError(state.row)));
    $("undo").addEventListener("click", () => app.startFrom(state.row));
    $("more").addEventListener("click", () => { showsAll = !showsAll; listFields(); refresh(); });
  };

  const refresh = () => {
    const values = app.values(), probabilities = model.probabilities(app.matrixRow());
    $("start").value = state.row;
    $("undo").disabled = state.changes.size === 0;
    for (const { k, refresh: show } of fields) show(values[k], app.original(k));
    decision(probabilities);
    bars(probabilities);
    conjunction();
  };

  listFields();
  listen();
  return { refresh, counterfactual, create };
};
