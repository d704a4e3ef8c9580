// The columns of the user's table: from a value of each to the numbers that the model reads, and to text.
// Values are numbers: those of categories are their places among the known ones (-1: unknown), those of dates days since
// 1970, those of times hours; NaN where a value is missing.
"use strict";

ldnn.WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

ldnn.dateParts = {
  date: days => days,
  month: days => new Date(Math.floor(days) * 864e5).getUTCMonth() + 1,
  weekday: days => (((Math.floor(days) + 3) % 7) + 7) % 7, // 1970-01-01 was a Thursday
  hour: days => Math.round((days - Math.floor(days)) * 864e8) / 36e8, // microseconds, as dates have in Python
};

// A date with another part; of weekdays, the nearest such date.
ldnn.withDatePart = (part, days, value) => {
  const day = Math.floor(days), time = days - day, date = new Date(day * 864e5);
  if (part === "date") return value;
  if (part === "hour") return day + value / 24;
  if (part === "weekday") return days + ((value - ldnn.dateParts.weekday(days) + 10) % 7) - 3;
  const last = new Date(Date.UTC(date.getUTCFullYear(), value, 0)).getUTCDate(); // of the month
  return Date.UTC(date.getUTCFullYear(), value - 1, Math.min(date.getUTCDate(), last)) / 864e5 + time;
};

ldnn.columns = columns => {
  const width = columns.reduce((sum, column) => sum + (column.parts?.length ?? 1), 0);

  // The matrix row of a table row: dates become several numbers.
  const toMatrix = (values, out = new Float64Array(width)) => {
    columns.forEach((column, k) => {
      if (column.kind !== "date") { out[column.place] = values[k]; return; }
      column.parts.forEach((part, p) => {
        out[column.place + p] = Number.isNaN(values[k]) ? NaN : ldnn.dateParts[part](values[k]);
      });
    });
    return out;
  };

  // A number as the table has it, such as "$ 1,200" or "65 kg".
  const written = ({ before, after, decimal, thousands }, value) => {
    const shown = Math.abs(value) >= 1e6 ? Math.round(value) : Number(value.toPrecision(6));
    const [whole, fraction] = String(Math.abs(shown)).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, () => thousands);
    return `${shown < 0 ? "-" : ""}${before}${grouped}${fraction ? decimal + fraction : ""}${after}`;
  };

  const number = value => {
    const digits = Math.abs(value) >= 1e6 ? Math.round(value) : Number(value.toPrecision(6));
    return Math.abs(digits) >= 1e4 && Math.abs(digits) < 1e15 ? digits.toLocaleString("en") : String(digits);
  };

  const isoOf = days => new Date(Math.round(days * 86400) * 1000).toISOString();

  const dateText = days => {
    const iso = isoOf(days), time = iso.slice(11, 19);
    return iso.slice(0, 10) + (time === "00:00:00" ? "" : ` ${time.endsWith(":00") ? time.slice(0, 5) : time}`);
  };

  const timeText = hours => {
    const minutes = Math.round(hours * 60);
    return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  };

  const text = (column, value) => {
    if (Number.isNaN(value)) return "missing";
    if (column.kind === "category") return value < 0 ? "unknown" : column.categories[value];
    if (column.flag) return value ? "true" : "false";
    if (column.format) return written(column.format, value);
    return { number, date: dateText, time: timeText }[column.kind](value);
  };

  // The unit of a column of numbers, "" where it has none.
  const unit = column => (column.format ? (column.format.before + column.format.after).trim() : "");

  // A value in a sentence: truth values as rules have them, `member` or `not member`.
  const phrase = (column, value) => (column.flag && !Number.isNaN(value) ? (value ? "" : "not ") + column.name : text(column, value));

  // The columns of the matrix, for rules: names, categories and how their values are shown.
  const ofMatrix = columns.flatMap((column, k) => {
    if (column.kind !== "date") return [{ ...column, table: k }];
    return column.parts.map((part, p) => ({
      table: k,
      name: p ? `${column.name}: ${part}` : column.name,
      kind: { date: "date", month: "number", weekday: "category", hour: "time" }[part],
      categories: part === "weekday" ? ldnn.WEEKDAYS : undefined,
      missing: column.missing,
      whole: part === "month",
    }));
  });

  // A distance between two values of a column in standard deviations; another category counts as one.
  const distance = (column, a, b) => {
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
    if (column.kind === "category" || Number.isNaN(a) || Number.isNaN(b)) return 1;
    return Math.abs(a - b) / column.deviation;
  };

  // Drawings and sliders of positive numbers over several magnitudes are logarithmic.
  const isLog = column => column.kind === "number" && column.low > 0 && column.from > 0 && column.to > 30 * column.from;
  const warp = (column, value) => (isLog(column) ? Math.log(value) : value);
  const unwarp = (column, place) => (isLog(column) ? Math.exp(place) : place);

  return { list: columns, width, isLog, warp, unwarp, toMatrix, text, phrase, unit, ofMatrix, distance, isoOf };
};
