// Formats of dates by language, and the direction of its script.

/** @param {string} locale */
export const directionOf = (locale) =>
  (["ar", "fa", "he", "ur"].includes(locale.split("-")[0].toLowerCase()) ? "rtl" : "ltr");

/** @type {Map<string, Intl.DateTimeFormat>} a cache: creating a format is slow */
const formats = new Map();

/** @param {string} locale @param {Intl.DateTimeFormatOptions} options */
function formatOf(locale, options) {
  const name = `${locale} ${JSON.stringify(options)}`;
  let format = formats.get(name);
  if (!format) {
    const all = { calendar: "gregory", timeZone: "UTC", ...options };
    try {
      format = new Intl.DateTimeFormat(locale, all);
    } catch {
      format = new Intl.DateTimeFormat("en", all);
    }
    formats.set(name, format);
  }
  return format;
}

/** @param {string} date `YYYY-MM-DD` */
function instantOf(date) {
  const [year, month, day] = date.split("-").map(Number);
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  return instant;
}

/**
 * A complete date with its weekday.
 * @param {string} date @param {string} locale
 */
export const fullDate = (date, locale) =>
  formatOf(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" }).format(instantOf(date));

/**
 * A short date with its year, for sentences.
 * @param {string} date @param {string} locale
 */
export const shortDate = (date, locale) =>
  formatOf(locale, { year: "numeric", month: "short", day: "numeric" }).format(instantOf(date));

/**
 * A short date without its year.
 * @param {string} date @param {string} locale
 */
export const dayOf = (date, locale) => formatOf(locale, { month: "short", day: "numeric" }).format(instantOf(date));

/**
 * A span of days without the year.
 * @param {string} start @param {string} end @param {string} locale
 */
export const daySpan = (start, end, locale) => formatOf(locale, { month: "short", day: "numeric" })
  .formatRange(instantOf(start), instantOf(end)).replace(/[\u2009\u202f]/g, " ");

/**
 * A range of dates with years. Common parts appear once.
 * @param {string} start @param {string} end @param {string} locale
 */
export const dateSpan = (start, end, locale) =>
  formatOf(locale, { year: "numeric", month: "short", day: "numeric" })
    .formatRange(instantOf(start), instantOf(end)).replace(/[\u2009\u202f]/g, " ");

/**
 * An amount of money, or a number if the currency is unknown. Zero cents are left out.
 * @param {number} amount @param {string | undefined} currency @param {string} locale
 */
export function priceText(amount, currency, locale) {
  /** @type {any} */
  const shape = currency ? { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" } : { maximumFractionDigits: 2 };
  try {
    return new Intl.NumberFormat(locale, shape).format(amount);
  } catch {
    return `${amount} ${currency ?? ""}`.trim();
  }
}

/** @param {string} month `YYYY-MM` @param {string} locale */
export const monthTitle = (month, locale) =>
  formatOf(locale, { year: "numeric", month: "long" }).format(instantOf(`${month}-01`));

/** @param {number} weekday 1 = Sunday … 7 = Saturday @param {string} locale @param {"short" | "long"} width */
export const weekdayName = (weekday, locale, width = "short") =>
  // 2023-01-01 was a Sunday.
  formatOf(locale, { weekday: width }).format(instantOf(`2023-01-0${weekday}`));

/** The last minute and zone that `todayIn` was called for, and its answer: each unavailable day asks for it. */
let lastMinute = "";
let lastToday = "";

/**
 * The date of an instant in a time zone.
 * @param {number} milliseconds since 1970 @param {string} timeZone
 */
export function todayIn(milliseconds, timeZone) {
  const minute = `${Math.floor(milliseconds / 60_000)} ${timeZone}`;
  if (minute === lastMinute) return lastToday;
  const parts = formatOf("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date(milliseconds));
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  lastMinute = minute;
  lastToday = `${part.year}-${part.month}-${part.day}`;
  return lastToday;
}

/**
 * The time of day of an instant, on this device's clock; empty for none.
 * @param {string | null} instant @param {string} locale
 */
export const clockText = (instant, locale) =>
  (instant ? new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" }).format(new Date(instant)) : "");
