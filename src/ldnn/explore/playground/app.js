// The playground: what the controls do, and the way from points over clusters and half-spaces to a trained network.
"use strict";

ldnn.playground = (() => {
  const $ = id => document.getElementById(id);
  const DEFAULTS = { data: "moons", n: 3, m: 3, loss: "squared", rate: 0.3, momentum: 0.5, speed: 2, seed: 1 };
  const SPEEDS = [2, 10, 30, 120, Infinity]; // epochs per second
  const SPEED_NAMES = ["2 epochs per second", "10 epochs per second", "30 epochs per second", "120 epochs per second", "as fast as possible"];
  const FRAME = 14; // milliseconds of training per frame, at most
  const STILL = 0.02; // k-means has ended when no centroid moves further
  const PAUSE = 350; // milliseconds between two iterations of k-means, so that a reader can watch

  const settings = { ...DEFAULTS };
  let points = [], brush = "1", cursor = null, painter = null;
  // phase: "clusters", "half-spaces" or "training"; net: null before the half-spaces are there
  let state = null, running = false, lastFrame = 0, owed = 0;

  // --- the address ---------------------------------------------------------------------------------------------------

  const readAddress = () => {
    const given = new URLSearchParams(location.hash.slice(1));
    const number = (key, low, high) => {
      const value = Number(given.get(key));
      if (given.has(key) && value >= low && value <= high) settings[key] = value;
    };
    if (ldnn.points.names.includes(given.get("data"))) settings.data = given.get("data");
    if (["squared", "log"].includes(given.get("loss"))) settings.loss = given.get("loss");
    number("n", 1, 24); number("m", 1, 24); number("rate", 0.01, 3.2); number("momentum", 0, 0.9);
    number("speed", 0, 4); number("seed", 0, 1e9);
    [settings.n, settings.m, settings.speed] = [settings.n, settings.m, settings.speed].map(Math.round);
  };

  const writeAddress = () => {
    const changed = Object.entries(settings).filter(([key, value]) => value !== DEFAULTS[key]);
    try { history.replaceState(null, "", `#${new URLSearchParams(changed)}`); } catch { /* in a frame without an address */ }
  };

  // --- from points to a network --------------------------------------------------------------------------------------

  const ofClass = label => points.filter(point => point.label === label);

  const restart = () => {
    const random = ldnn.random(1000 + settings.seed);
    state = {
      phase: "clusters", iterations: 0, epoch: 0, net: null, trainer: null, random, history: [],
      groups: [ldnn.clusters.start(ofClass(0), settings.m, random), ldnn.clusters.start(ofClass(1), settings.n, random)],
    };
    if (!isReady()) stop();
    refresh();
  };

  const isReady = () => state.groups[0].length > 0 && state.groups[1].length > 0;

  const score = () => {
    const now = { epoch: state.epoch, ...ldnn.network.scores(state.net, points, settings.loss) };
    if (state.history.at(-1)?.epoch === state.epoch) state.history.pop();
    state.history.push(now);
    if (state.history.length > 1000) state.history = state.history.filter((_, k) => k % 2 === 0);
  };

  const placeHalfSpaces = () => {
    state.phase = "half-spaces";
    state.net = ldnn.network.between(state.groups[1], state.groups[0]);
    state.trainer = ldnn.network.trainer(state.net, state.random);
    score();
  };

  // One iteration of k-means, or the half-spaces, or one epoch.
  const advance = () => {
    if (!isReady()) return;
    if (state.phase === "clusters") {
      const moves = [0, 1].map(label => ldnn.clusters.iterate(ofClass(label), state.groups[label]));
      state.iterations++;
      if (Math.max(...moves) < STILL) placeHalfSpaces();
      return;
    }
    state.phase = "training";
    state.trainer.epoch(points, settings);
    state.epoch++;
  };

  // --- running -------------------------------------------------------------------------------------------------------

  const frame = now => {
    if (!running) return;
    const elapsed = Math.min(now - lastFrame, 250);
    if (state.phase !== "training") {
      if (now - lastFrame >= PAUSE || SPEEDS[settings.speed] === Infinity) {
        lastFrame = now;
        const from = state.phase;
        advance();
        refresh(from !== state.phase);
      }
    } else {
      lastFrame = now;
      owed = Math.min(owed + elapsed * SPEEDS[settings.speed] / 1000, 1e6);
      const end = performance.now() + FRAME, before = state.epoch;
      while (owed >= 1 && performance.now() < end) { advance(); owed--; }
      if (owed >= 1 && SPEEDS[settings.speed] !== Infinity) owed = 1; // a slow machine does not catch up later
      if (state.epoch > before) { score(); refresh(false); }
    }
    requestAnimationFrame(frame);
  };

  const start = () => {
    if (running || !isReady()) return;
    running = true;
    owed = 0;
    lastFrame = performance.now() - PAUSE;
    $("run").textContent = "Pause";
    requestAnimationFrame(frame);
  };

  const stop = () => {
    running = false;
    $("run").textContent = "Run";
  };

  // --- what is shown -------------------------------------------------------------------------------------------------

  const percent = share => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

  const sentence = () => {
    const [negative, positive] = state.groups.map(group => group.length);
    if (!isReady()) return "Draw points of both classes, then run.";
    if (state.phase === "clusters") {
      return state.iterations ? `Clusters: k-means, iteration ${state.iterations}.`
        : `${points.length} points; ${positive} + ${negative} of them are the first centroids.`;
    }
    if (state.phase === "half-spaces") {
      return `Half-spaces: ${positive} × ${negative} lines, midway between the centroids.`;
    }
    const { error } = state.history.at(-1);
    return running ? "Training." : `Epoch ${state.epoch}: ${percent(error)} of the ${points.length} points are errors.`;
  };

  // announce: whether a screen reader hears the sentence; not for every frame.
  const refresh = (announce = true) => {
    draw();
    const last = state.history.at(-1);
    $("epochs").textContent = state.epoch;
    $("error").textContent = last ? percent(last.error) : "–";
    $("loss").textContent = last ? last.loss.toFixed(4) : "–";
    const text = sentence();
    if ((announce || state.phase === "clusters" || text === "Training.") && $("status").textContent !== text) {
      $("status").textContent = text;
    }
    for (const id of ["run", "step"]) $(id).disabled = !isReady();
  };

  const draw = () => {
    const { net, groups } = state, isOn = id => $(id).checked;
    painter.clear();
    const boundary = net ? painter.output(net, running ? 110 : 170, isOn("show-output")) : null;
    if (!net) painter.memberships(points, groups);
    const work = net && ldnn.network.workspace(net);
    painter.points(points, net && (point => (ldnn.network.forward(net, point.x, point.y, work) > 0.5) !== (point.label === 1)));
    if (net) {
      const chosen = $("shown").value;
      for (let i = 0; i < net.N; i++) {
        if (chosen === "all" || chosen === String(i)) painter.halfSpaces(net, i);
        if (isOn("show-polytopes") && (chosen === "all" || chosen === "none" || chosen === String(i))) painter.polytope(net, i);
      }
      if (isOn("show-output")) boundary();
    }
    if (isOn("show-centroids") && state.phase !== "training") painter.centroids(groups[1], groups[0]);
    if (cursor && document.activeElement === $("plane")) painter.cursor(cursor);
    ldnn.drawing.curves($("curves"), state.history);
  };

  const showSettings = () => {
    $("data").value = settings.data;
    $("n").value = settings.n;
    $("m").value = settings.m;
    $("lossname").value = settings.loss;
    $("rate").value = Math.log10(settings.rate);
    $("momentum").value = settings.momentum;
    $("speed").value = settings.speed;
    $("n-value").textContent = settings.n;
    $("m-value").textContent = settings.m;
    $("rate-value").textContent = Number(settings.rate.toPrecision(2));
    $("momentum-value").textContent = settings.momentum;
    $("speed-value").textContent = SPEED_NAMES[settings.speed];
    $("speed").setAttribute("aria-valuetext", SPEED_NAMES[settings.speed]);
    $("rate").setAttribute("aria-valuetext", Number(settings.rate.toPrecision(2)));
  };

  const listConjunctions = () => {
    const chosen = $("shown").value || (settings.n * settings.m > 30 ? "none" : "all");
    const names = [["all", "all polytopes"], ["none", "none"],
      ...Array.from({ length: settings.n }, (_, i) => [String(i), `polytope ${i + 1} only`])];
    $("shown").replaceChildren(...names.map(([value, text]) => new Option(text, value)));
    $("shown").value = names.some(([value]) => value === chosen) ? chosen : "all";
  };

  // --- drawing points ------------------------------------------------------------------------------------------------

  const near = (x, y, reach) => points.filter(point => Math.hypot(point.x - x, point.y - y) > reach);

  const apply = (x, y) => {
    if (Math.max(Math.abs(x), Math.abs(y)) > ldnn.SPAN) return;
    if (brush === "erase") points = near(x, y, 0.056 * ldnn.SPAN);
    else points.push({ x, y, label: Number(brush) });
    settings.data = "own";
    stop();
    restart();
    showSettings();
    writeAddress();
  };

  const removeNearest = ({ x, y }) => {
    const distances = points.map(point => Math.hypot(point.x - x, point.y - y));
    if (!points.length) return;
    points.splice(distances.indexOf(Math.min(...distances)), 1);
    settings.data = "own";
    stop();
    restart();
    showSettings();
  };

  const placeOf = event => {
    const box = $("plane").getBoundingClientRect();
    return [ldnn.SPAN * (2 * (event.clientX - box.left) / box.width - 1), ldnn.SPAN * (1 - 2 * (event.clientY - box.top) / box.height)];
  };

  const listenToPointer = () => {
    let last = null;
    $("plane").addEventListener("pointerdown", event => {
      last = placeOf(event);
      cursor = null;
      $("plane").setPointerCapture(event.pointerId);
      apply(...last);
    });
    $("plane").addEventListener("pointermove", event => {
      if (!last) return;
      const [x, y] = placeOf(event);
      if (Math.hypot(x - last[0], y - last[1]) < 0.0375 * ldnn.SPAN) return; // a stroke is a row of points
      last = [x, y];
      apply(x, y);
    });
    for (const end of ["pointerup", "pointercancel"]) $("plane").addEventListener(end, () => { last = null; });
  };

  const listenToKeys = () => {
    $("plane").addEventListener("keydown", event => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      cursor ??= { x: 0, y: 0 };
      if (move) {
        const step = ldnn.SPAN * (event.shiftKey ? 0.16 : 0.032), limit = value => Math.min(Math.max(value, -ldnn.SPAN), ldnn.SPAN);
        cursor = { x: limit(cursor.x + step * move[0]), y: limit(cursor.y + step * move[1]) };
      } else if (event.key === " " || event.key === "Enter") apply(cursor.x, cursor.y);
      else if (event.key === "Delete" || event.key === "Backspace") removeNearest(cursor);
      else return;
      event.preventDefault();
      draw();
    });
    for (const change of ["focus", "blur"]) $("plane").addEventListener(change, () => draw());
  };

  // --- controls ------------------------------------------------------------------------------------------------------

  const listenToControls = () => {
    $("run").addEventListener("click", () => { running ? stop() : start(); refresh(); });
    $("step").addEventListener("click", () => { stop(); advance(); if (state.net) score(); refresh(); });
    $("reset").addEventListener("click", () => { stop(); restart(); });
    $("other").addEventListener("click", () => { settings.seed++; stop(); loadPoints(false); restart(); writeAddress(); });
    $("data").addEventListener("change", () => { settings.data = $("data").value; stop(); loadPoints(true); restart(); changed(); });
    for (const key of ["n", "m"]) {
      $(key).addEventListener("input", () => { settings[key] = Number($(key).value); stop(); listConjunctions(); restart(); changed(); });
    }
    $("lossname").addEventListener("change", () => {
      settings.loss = $("lossname").value;
      state.history = [];
      if (state.net) score();
      refresh();
      changed();
    });
    $("rate").addEventListener("input", () => { settings.rate = Number((10 ** Number($("rate").value)).toPrecision(3)); changed(); });
    for (const key of ["momentum", "speed"]) {
      $(key).addEventListener("input", () => { settings[key] = Number($(key).value); changed(); });
    }
    for (const radio of document.getElementsByName("brush")) {
      radio.addEventListener("change", () => { brush = radio.value; });
    }
    for (const id of ["shown", "show-output", "show-polytopes", "show-centroids"]) $(id).addEventListener("change", () => draw());
    document.addEventListener("themechange", () => state && draw());
    window.addEventListener("resize", () => draw());
  };

  const changed = () => { showSettings(); writeAddress(); };

  // Points that were drawn by hand stay when only the start changes.
  const loadPoints = isOther => {
    if (settings.data !== "own" || isOther) points = ldnn.points.make(settings.data, settings.seed);
  };

  const open = () => {
    readAddress();
    painter = ldnn.drawing.painter($("plane"));
    loadPoints(true);
    listConjunctions();
    showSettings();
    listenToControls();
    listenToPointer();
    listenToKeys();
    restart();
  };

  open();
  return { settings, state: () => state, points: () => points };
})();
