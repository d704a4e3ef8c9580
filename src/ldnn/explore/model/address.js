// What a reader has changed, in the address after #, so that it can be shared.
"use strict";

ldnn.address = (() => {
  const write = state => {
    const parts = new URLSearchParams();
    const pairs = entries => [...entries].map(([key, value]) => `${key}:${value}`).join(",");
    parts.set("row", state.row);
    if (state.changes.size) parts.set("set", pairs(state.changes));
    if (state.locked.size) parts.set("lock", [...state.locked].join(","));
    if (state.shown !== state.defaults.shown) parts.set("class", state.shown);
    if (String(state.map) !== String(state.defaults.map)) parts.set("map", state.map.join(","));
    if (state.polytopes >= 0) parts.set("member", state.polytopes);
    if (state.threshold !== 0.5) parts.set("threshold", state.threshold);
    if (state.list !== state.defaults.list) parts.set("list", state.list);
    if (state.off.size) parts.set("off", [...state.off].join(","));
    if (state.cuts.size) parts.set("cut", pairs(state.cuts));
    try { history.replaceState(null, "", `#${parts}`); } catch { /* in a frame without an address */ }
  };

  // Reads what is sensible, and ignores the rest.
  const read = (state, limits) => {
    const given = new URLSearchParams(location.hash.slice(1));
    const whole = (text, below) => (/^\d+$/.test(text ?? "") && Number(text) < below ? Number(text) : null);
    const list = key => (given.get(key) ?? "").split(",").filter(Boolean);
    const number = text => (text === "NaN" ? NaN : Number.isFinite(Number(text)) && text !== "" ? Number(text) : null);
    state.row = whole(given.get("row"), limits.rows) ?? state.row;
    for (const pair of list("set")) {
      const [key, text] = pair.split(":"), k = whole(key, limits.columns), value = number(text ?? "");
      if (k !== null && value !== null && limits.allows(k, value)) state.changes.set(k, value);
    }
    for (const key of list("lock")) if (whole(key, limits.columns) !== null) state.locked.add(Number(key));
    state.shown = whole(given.get("class"), limits.classes) ?? state.shown;
    const map = list("map").map(key => whole(key, limits.columns));
    if (map.length === 2 && map.every(key => key !== null)) state.map = map;
    state.polytopes = whole(given.get("member"), limits.members) ?? state.polytopes;
    const threshold = number(given.get("threshold") ?? "");
    if (threshold > 0 && threshold < 1) state.threshold = threshold;
    state.list = whole(given.get("list"), limits.lists) ?? state.list;
    for (const key of list("off")) if (whole(key, 1000) !== null) state.off.add(Number(key));
    for (const pair of list("cut")) {
      const [key, text] = pair.split(":"), value = number(text ?? "");
      if (/^\d+\.\d+\.\d+$/.test(key) && Number.isFinite(value)) state.cuts.set(key, value);
    }
  };

  return { read, write };
})();
