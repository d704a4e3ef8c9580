// The page of a model: its state, and what happens when a reader changes something.
"use strict";

ldnn.start = async () => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("data").textContent), array = await ldnn.unpack($("arrays").textContent);
  const columns = ldnn.columns(data.columns), rules = ldnn.rules(data.rules, columns.ofMatrix);
  const model = data.model.networks ? ldnn.model(data.model, array) : ldnn.ruleModel(data.model, rules);

  // --- the rows ------------------------------------------------------------------------------------------------------

  const stored = data.rows.columns.map(array), rowCount = data.rows.count;
  const rows = Array.from({ length: rowCount }, (_, r) => data.columns.map(column => Number(stored[column.place][r])));
  const matrixRows = rows.map(row => columns.toMatrix(row));
  const labels = data.rows.labels && Array.from(array(data.rows.labels)), numbers = Array.from(array(data.rows.numbers));
  const odds = matrixRows.map(row => model.decisions(row));
  const decisions = odds.map(model.classOf), probabilities = odds.map(model.probabilitiesOf);

  const median = k => {
    const known = rows.map(row => row[k]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b);
    if (!known.length) return NaN;
    if (data.columns[k].kind !== "category") return known[Math.floor(known.length / 2)];
    const count = code => known.reduce((sum, one) => sum + (one === code), 0);
    return [...new Set(known)].sort((a, b) => count(b) - count(a))[0];
  };
  const medianRow = columns.toMatrix(data.columns.map((_, k) => median(k)));

  // The middle 98 % of the rows of a column, for drawings: a few values far out would leave no room for the others.
  data.columns.forEach((column, k) => {
    if (column.kind === "category") return;
    const known = rows.map(row => row[k]).filter(value => !Number.isNaN(value)).sort((a, b) => a - b), last = known.length - 1;
    [column.from, column.to] = [known[Math.floor(0.01 * last)] ?? column.low, known[Math.ceil(0.99 * last)] ?? column.high];
    if (column.from === column.to) [column.from, column.to] = [column.low, column.high];
  });

  // --- the state -----------------------------------------------------------------------------------------------------

  const important = data.columns.map((_, k) => k).filter(k => data.columns[k].used)
    .sort((a, b) => (data.columns[a].kind === "category") - (data.columns[b].kind === "category") || data.columns[b].importance - data.columns[a].importance);
  const defaults = { shown: data.model.classes.length === 2 ? 1 : 0, list: rules.chosen, map: [important[0] ?? 0, important[1] ?? important[0] ?? 0] };
  const state = {
    row: 0, changes: new Map(), locked: new Set(), shown: defaults.shown, map: [...defaults.map], polytopes: -1, threshold: 0.5,
    list: rules.chosen, off: new Set(), cuts: new Map(), defaults,
  };
  ldnn.address.read(state, {
    rows: rowCount, columns: data.columns.length, classes: data.model.classes.length, members: model.members, lists: rules.lists.length,
    allows: (k, value) => data.columns[k].kind !== "category" || Number.isNaN(value) || (Number.isInteger(value) && value >= -1 && value < data.columns[k].categories.length),
  });

  const values = () => rows[state.row].map((value, k) => (state.changes.has(k) ? state.changes.get(k) : value));
  const variable = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Never 100 % of what is not all, nor 0 % of what is something.
  const percent = share => {
    if (share === 0 || share === 1) return `${100 * share} %`;
    const shown = 100 * share;
    return shown < 0.05 ? "< 0.1 %" : shown > 99.95 ? "> 99.9 %" : `${shown.toFixed(1)} %`;
  };

  // A function that is awaited in long work: lets the page breathe every few milliseconds, and says whether to go on.
  const pauser = goesOn => {
    let since = performance.now();
    return async () => {
      if (performance.now() - since > 10) {
        await new Promise(resolve => { setTimeout(resolve, 0); });
        since = performance.now();
      }
      return goesOn();
    };
  };

  const change = (k, value) => {
    if (columns.distance(data.columns[k], value, rows[state.row][k]) > 0) state.changes.set(k, value);
    else state.changes.delete(k);
  };

  const unknown = data.trainedOn === null ? "It is not known whether the model was trained on them."
    : data.trainedOn ? "The model was trained on these rows, so it looks better than it is." : "The model has not seen these rows.";

  const app = {
    $, columns, model, rules, state, variable, pauser, rowCount, hasLabels: labels !== null,
    percent,
    rows: () => rows, matrixRows: () => matrixRows, rowNumbers: () => numbers, labels: () => labels,
    label: k => (labels ? labels[k] : null),
    values, matrixRow: () => columns.toMatrix(values()), meanRow: () => medianRow,
    median, original: k => rows[state.row][k], decisionOfStart: () => decisions[state.row], modelDecision: k => decisions[k],
    allProbabilities: () => probabilities,
    isDark: () => getComputedStyle(document.documentElement).colorScheme === "dark",
    measuredOn: () => `Measured on ${rowCount.toLocaleString("en")} rows of ${data.source}${model.isRules ? "" : data.sharedRows ? ", which the rules were fitted to" : " that the rules were not fitted to"}. ${unknown}`,
    rulesSummary: () => (model.isRules ? "These rules are the model." : `Rules that decide nearly as the model does, fitted to its decisions about ${data.rowsForRules.toLocaleString("en")} ${data.sharedRows ? "rows" : "other rows"} of ${data.source}.`) + " Switch one off, or change a threshold, and see what happens.",
    nextError: from => {
      for (let step = 1; step <= rowCount; step++) {
        const k = (from + step) % rowCount;
        if (labels && decisions[k] !== labels[k]) return k;
      }
      return from;
    },
    goTo: id => { $(id).scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" }); $(id).focus({ preventScroll: true }); },
    startFrom: k => { state.row = k; state.changes.clear(); rowChanged(); },
    change: (k, value) => { change(k, value); rowChanged(); },
    changeSome: pairs => { for (const [k, value] of pairs) change(k, value); rowChanged(); },
    changeAll: wanted => { wanted.forEach((value, k) => change(k, value)); rowChanged(); },
    lock: (k, isLocked) => { if (isLocked) state.locked.add(k); else state.locked.delete(k); searchLater(); ldnn.address.write(state); },
    rulesChanged: () => { rulesView.refresh(); ldnn.address.write(state); },
    viewChanged: () => { mapView.show(); showClass(); mapView.refresh(); shapesView.refresh(); rulesView.refresh(); ldnn.address.write(state); },
  };

  // --- what follows a change -----------------------------------------------------------------------------------------

  const rowView = ldnn.rowView(app), rulesView = ldnn.rulesView(app, rowView.create);
  const mapView = ldnn.mapView(app), shapesView = ldnn.shapesView(app, rowView.create);
  const search = model.isRules ? ldnn.ruleChange(data.model, rules, columns, rows) : ldnn.counterfactual(model, columns, rows);
  let token = 0, later = 0;

  const searchLater = () => {
    const own = ++token;
    rowView.counterfactual(null);
    clearTimeout(later);
    later = setTimeout(async () => {
      const found = await search.search(values(), state.locked, app.pauser(() => own === token));
      if (found && own === token) rowView.counterfactual(found);
    }, 120);
  };

  const rowChanged = () => {
    rowView.refresh();
    rulesView.firing();
    searchLater();
    mapView.refresh();
    shapesView.refresh();
    ldnn.address.write(state);
  };

  const showClass = () => {
    for (const select of document.querySelectorAll(".class-choice")) select.value = state.shown;
  };

  for (const select of document.querySelectorAll(".class-choice")) {
    model.classes.forEach((name, k) => select.append(new Option(name, k)));
    select.addEventListener("change", () => { state.shown = Number(select.value); app.viewChanged(); });
  }
  for (const button of document.querySelectorAll("[data-to]")) button.addEventListener("click", () => app.goTo(button.dataset.to));
  $("title").textContent = document.title = data.title;
  const shape = model.isRules ? "Rules" : model.members > 1 ? `${model.members} networks` : "One network";
  const { difference } = data.model, digits = value => value.toLocaleString("en", { maximumSignificantDigits: 2 });
  const accuracy = difference ? `with rounded weights, to keep the file small: for the rows in the page, probabilities differ from those in Python by ${digits(difference.mean)} on average and ${digits(difference.largest)} at most, and ${percent(difference.same)} of the decisions are the same.`
    : "with the same probabilities as in Python.";
  $("summary").textContent = `Change a row and see what the model decides, and why. It runs in this page, ${accuracy}`;
  $("facts").textContent = `${shape} for ${model.classes.length} classes and ${data.columns.length} columns. ${rowCount.toLocaleString("en")} of the ${data.rowsGiven.toLocaleString("en")} rows of ${data.source} are in the page. ${unknown}`;
  showClass();
  mapView.show();
  rulesView.refresh();
  rowChanged();
  return Object.assign(ldnn, { app, search, probabilitiesOf: row => model.probabilities(columns.toMatrix(row)) });
};

ldnn.ready = ldnn.start();
