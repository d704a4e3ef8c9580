// The rules: choose how many, switch one off or move a threshold, and see what that does to the errors.
"use strict";

ldnn.rulesView = (app, create) => {
  const { $, columns, model, rules, state, percent } = app, classes = model.classes;
  const MOST_CLASSES = 12; // in a table of confusion

  // The rules as they are now.
  const current = () => {
    const list = rules.fresh(state.list);
    list.forEach((rule, r) => {
      rule.on = !state.off.has(r);
      rule.conditions.forEach((condition, c) => rules.cuts(condition).forEach((cut, k) => {
        const moved = state.cuts.get(`${r}.${c}.${k}`);
        if (moved !== undefined) cut.set(moved);
      }));
    });
    return list;
  };

  const otherwise = () => rules.otherwise(state.list);
  const decisionsOf = (list, firing, last) => firing.map(r => (r < 0 ? last : list[r].label));
  const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

  // --- one rule ------------------------------------------------------------------------------------------------------

  const cutInput = (cut, key) => {
    const isDate = cut.column.kind === "date", input = create("input", { type: isDate ? "date" : "number", step: "any", className: "cut" });
    input.setAttribute("aria-label", `threshold of ${cut.column.name}`);
    input.value = isDate ? columns.isoOf(cut.value).slice(0, 10) : Number(cut.value.toPrecision(6));
    input.addEventListener("change", () => {
      const moved = isDate ? input.valueAsNumber / 864e5 : Number(input.value);
      if (input.value === "" || !Number.isFinite(moved)) { refresh(); return; }
      state.cuts.set(key, moved);
      app.rulesChanged();
    });
    return input;
  };

  const conditionNode = (condition, r, c) => {
    const cuts = rules.cuts(condition);
    const parts = rules.pieces(condition).map(piece => (typeof piece === "string" ? piece : cutInput(cuts[piece.cut], `${r}.${c}.${piece.cut}`)));
    return create("li", {}, ...(c ? [create("span", { className: "and", textContent: "and " })] : []), ...parts);
  };

  const ruleNode = (rule, r, figures) => {
    const box = create("input", { type: "checkbox", checked: rule.on });
    box.addEventListener("change", () => { if (box.checked) state.off.delete(r); else state.off.add(r); app.rulesChanged(); });
    const head = create("label", { className: "rule-head" }, box, ` ${r + 1}. `, create("b", { textContent: classes[rule.label] }), ", if");
    const examples = figures.examples.map(k => {
      const button = create("button", { type: "button", className: "link", textContent: String(app.rowNumbers()[k]) });
      button.setAttribute("aria-label", `look at row ${app.rowNumbers()[k]}`);
      button.addEventListener("click", () => { app.startFrom(k); app.goTo("row"); });
      return button;
    });
    const right = figures.precision === null ? "" : `, right for ${percent(figures.precision)} of these`;
    const text = `Holds for ${percent(figures.coverage)} of the rows${right}; decides ${counted(figures.decided, "row")}. `;
    return create("article", { className: `rule ${rule.on ? "" : "off"}` }, head,
      create("ul", {}, ...rule.conditions.map((condition, c) => conditionNode(condition, r, c))),
      create("p", { className: "facts" }, text, ...(examples.length ? ["Look at rows ", ...examples.flatMap((node, k) => (k ? [", ", node] : [node]))] : [])));
  };

  const figuresOf = (list, firing) => list.map((rule, r) => {
    const holding = app.matrixRows().map((row, k) => (rules.lacking(rule, row) === 0 ? k : -1)).filter(k => k >= 0);
    const right = app.hasLabels ? holding.filter(k => app.label(k) === rule.label).length : null;
    const decided = firing.map((own, k) => (own === r ? k : -1)).filter(k => k >= 0);
    return {
      coverage: holding.length / app.rowCount,
      precision: right === null || !holding.length ? null : right / holding.length,
      decided: decided.length,
      examples: (decided.length ? decided : holding).slice(0, 3),
    };
  });

  // --- figures of all rules ------------------------------------------------------------------------------------------

  const confusionTable = (title, decisions) => {
    const table = ldnn.scores.confusion(app.labels(), decisions, classes.length), head = create("tr", {}, create("td"));
    classes.forEach(name => head.append(create("th", { scope: "col", textContent: name })));
    const body = table.map((counts, truth) => create("tr", {}, create("th", { scope: "row", textContent: classes[truth] }),
      ...counts.map((count, k) => create("td", { textContent: count, className: truth === k ? "right" : count ? "wrong" : "" }))));
    return create("div", { className: "scroll" }, create("p", { textContent: `${title}: true class on the left, decision above` }),
      create("table", {}, create("thead", {}, head), create("tbody", {}, ...body)));
  };

  // Rows in the order of the share of the class among the rows that the same rule decides.
  const ruleScores = (firing, label) => {
    const total = new Map(), right = new Map();
    firing.forEach((r, k) => { total.set(r, (total.get(r) ?? 0) + 1); right.set(r, (right.get(r) ?? 0) + (app.label(k) === label)); });
    return firing.map(r => right.get(r) / total.get(r));
  };

  const modelDecisions = () => app.allProbabilities().map((row, k) => (classes.length > 2 || state.threshold === 0.5 ? app.modelDecision(k) : Number(row[1] >= state.threshold)));

  const thresholdControl = () => {
    if (classes.length > 2) return [];
    const range = create("input", { type: "range", min: 0.01, max: 0.99, step: 0.01, value: state.threshold, id: "threshold" });
    range.setAttribute("aria-valuetext", percent(state.threshold));
    range.addEventListener("input", () => { state.threshold = Number(range.value); app.rulesChanged(); });
    return [create("label", { htmlFor: "threshold", textContent: `The model decides for ${classes[1]} from a probability of ${percent(state.threshold)}` }), range];
  };

  const scores = (firing, decisions) => {
    if (!app.hasLabels) { $("scores").replaceChildren(create("p", { textContent: "The rows have no labels, so errors cannot be counted." })); return; }
    const labels = app.labels(), label = state.shown, ofModel = modelDecisions();
    const positive = labels.map(one => one === label);
    const byRules = ldnn.scores.roc(ruleScores(firing, label), positive), byModel = ldnn.scores.roc(app.allProbabilities().map(row => row[label]), positive);
    const [ruleErrors, modelErrors] = [decisions, ofModel].map(some => ldnn.scores.errors(labels, some));
    const focused = document.activeElement?.id === "threshold";
    const area = value => (Number.isNaN(value) ? "–" : value.toFixed(3));
    const isFitted = model.isRules && state.list === rules.chosen && !state.off.size && !state.cuts.size && state.threshold === 0.5;
    const same = decisions.filter((decision, k) => decision === app.modelDecision(k)).length / labels.length;
    const row = (name, errors, curve, k) => create("tr", {}, create("th", { scope: "row" }, create("span", { className: `key curve-${k}` }), ` ${name}`),
      create("td", { textContent: `${errors} (${percent(errors / labels.length)})` }), create("td", { textContent: area(curve.area) }));
    $("scores").replaceChildren(
      create("table", { className: "figures" }, create("thead", {}, create("tr", {}, create("td"), create("th", { scope: "col", textContent: "errors" }), create("th", { scope: "col", textContent: "area under ROC" }))),
        create("tbody", {}, ...(isFitted ? [] : [row(model.isRules ? "as changed" : "rules", ruleErrors, byRules, 0)]), row(model.isRules ? "as fitted" : "model", modelErrors, byModel, 1))),
      ...(isFitted ? [] : [create("p", { textContent: `The rules${model.isRules ? ", as changed," : ""} decide as the model does for ${percent(same)} of the rows.` })]),
      ldnn.plots.roc([{ points: isFitted ? [] : byRules.points, name: "rules" }, { points: byModel.points, name: "model" }], `ROC curves for ${classes[label]}: area ${isFitted ? "" : `${area(byRules.area)} of the rules, `}${area(byModel.area)} of the model`),
      create("p", { className: "facts", textContent: `ROC for ${classes[label]}: false positive rate across, true positive rate up. ${isFitted ? "Rows are ordered by their probability." : `The rules order rows by the share of ${classes[label]} among the rows that the same rule decides.`} ${app.measuredOn()}` }),
      ...thresholdControl(),
      ...(classes.length > MOST_CLASSES ? [] : isFitted ? [confusionTable("Rules", decisions)] : [confusionTable("Rules", decisions), confusionTable("Model", ofModel)]));
    if (focused) $("threshold")?.focus();
  };

  // --- from few to many conditions -----------------------------------------------------------------------------------

  // How often each list, unchanged, is wrong about the rows of the page; without labels, how often it differs from the model.
  const frontier = rules.lists.map(({ rules: _, k, conditions, otherwise: last }) => {
    const list = rules.fresh(k), decisions = decisionsOf(list, app.matrixRows().map(row => rules.firing(list, row)), last);
    const truth = app.hasLabels ? app.labels() : decisions.map((_, row) => app.modelDecision(row));
    return { conditions, count: list.length, errors: ldnn.scores.errors(truth, decisions) / app.rowCount };
  });

  const showFrontier = () => {
    const { conditions, count } = frontier[state.list], text = `${counted(conditions, "condition")} in ${counted(count, "rule")}`;
    const modelErrors = app.hasLabels ? ldnn.scores.errors(app.labels(), app.labels().map((_, k) => app.modelDecision(k))) / app.rowCount : 0;
    const what = app.hasLabels ? "errors" : "other decisions than the model's";
    $("frontier").hidden = frontier.length < 2;
    $("length").value = state.list;
    $("length").setAttribute("aria-valuetext", text);
    $("length-value").textContent = text;
    $("frontier-plot").replaceChildren(ldnn.plots.frontier(frontier, state.list, modelErrors, percent,
      `${what} of the rules on the rows of the page: ${frontier.map(one => `${one.conditions} conditions ${percent(one.errors)}`).join(", ")}; the model ${percent(modelErrors)}`));
    $("frontier-facts").textContent = `Line: ${what} of the unchanged rules on the rows of the page, by the number of conditions; dashes: of the model.`;
  };

  const firingText = list => {
    const r = rules.firing(list, app.matrixRow());
    $("firing").textContent = r < 0 ? `None, so the rules say ${classes[otherwise()]}.` : `Rule ${r + 1}, so the rules say ${classes[list[r].label]}.`;
  };

  const refresh = () => {
    const list = current(), firing = app.matrixRows().map(row => rules.firing(list, row)), figures = figuresOf(list, firing);
    showFrontier();
    $("rule-list").replaceChildren(...list.map((rule, r) => ruleNode(rule, r, figures[r])),
      create("p", { textContent: list.length ? `Otherwise ${classes[otherwise()]}.${list.length > 1 ? " The first rule that holds decides." : ""}` : `There is no rule: always ${classes[otherwise()]}.` }));
    $("rules-reset").disabled = !state.off.size && !state.cuts.size;
    firingText(list);
    scores(firing, decisionsOf(list, firing, otherwise()));
  };

  $("rules-summary").textContent = app.rulesSummary();
  $("length").max = frontier.length - 1;
  $("length").addEventListener("input", () => { state.list = Number($("length").value); state.off.clear(); state.cuts.clear(); app.rulesChanged(); });
  $("rules-reset").addEventListener("click", () => { state.off.clear(); state.cuts.clear(); app.rulesChanged(); });
  return { refresh, firing: () => firingText(current()) };
};
