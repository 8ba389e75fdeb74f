// Formats of dates by language, and the direction of its script.

/** @param {string} locale */
export const directionOf = (locale) => (/^(ar|fa|he|iw|ur)\b(?!-latn)/i.test(locale) ? "rtl" : "ltr");

/**
 * The name of a member for a sentence. It is isolated if it or the sentence is written from right to left: otherwise the
 * digits and punctuation beside it or at its ends would change their places.
 * @param {string} name @param {string} locale of the sentence
 */
export function isolated(name, locale) {
  // Without marks of its own that would end the isolation, or reverse what follows.
  const plain = name.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
  const isRightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufefc\ud802\ud803\ud83a\ud83b]/.test(plain) || directionOf(locale) === "rtl";
  return isRightToLeft ? `\u2068${plain}\u2069` : plain;
}

/**
 * Sentences as one text. One that ends in a period, such as a German date, gets no second one.
 * @param {unknown[]} texts
 */
export const joined = (texts) => texts.join(". ").replaceAll(".. ", ". ");

/** @type {Map<string, Intl.DateTimeFormat>} a cache: creating a format is slow */
const formats = new Map();

/**
 * A format, in English if the language is unknown.
 * @param {string} locale @param {Intl.DateTimeFormatOptions} options
 */
export function formatOf(locale, options) {
  const name = locale + JSON.stringify(options);
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

/**
 * A complete date with its weekday.
 * @param {string} date @param {string} locale
 */
export const fullDate = (date, locale) =>
  formatOf(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" }).format(Date.parse(date));

/**
 * A short date with its year, for sentences.
 * @param {string} date @param {string} locale
 */
export const shortDate = (date, locale) =>
  formatOf(locale, { year: "numeric", month: "short", day: "numeric" }).format(Date.parse(date));

/**
 * A short date without its year.
 * @param {string} date @param {string} locale
 */
export const dayOf = (date, locale) => formatOf(locale, { month: "short", day: "numeric" }).format(Date.parse(date));

/**
 * A span of days without the year.
 * @param {string} start @param {string} end @param {string} locale
 */
export const daySpan = (start, end, locale) =>
  spanOf(formatOf(locale, { month: "short", day: "numeric" }), start, end, dayOf(end, locale));

/**
 * A range of dates with years. Common parts appear once.
 * @param {string} start @param {string} end @param {string} locale
 */
export const dateSpan = (start, end, locale) =>
  spanOf(formatOf(locale, { year: "numeric", month: "short", day: "numeric" }), start, end,
    start.slice(0, 4) === end.slice(0, 4) ? dayOf(end, locale) : shortDate(end, locale));

/** @param {Intl.DateTimeFormat} format @param {string} start @param {string} end @param {string} last the text of `end` */
function spanOf(format, start, end, last) {
  const text = format.formatRange(Date.parse(start), Date.parse(end)).replace(/[\u2009\u202f]/g, " ");
  // In Chinese and Japanese, a range would have other dates than a day: 2026/12/01～2026/12/03.
  const separator = /\d\/\d/.test(text) && text.match(/(?<=\d)[^\d/]+(?=\d)/);
  return separator ? format.format(Date.parse(start)) + separator + last : text;
}

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
  formatOf(locale, { year: "numeric", month: "long" }).format(Date.parse(`${month}-01`));

/** @param {string} month `YYYY-MM` @param {string} locale */
export const monthName = (month, locale) => formatOf(locale, { month: "short" }).format(Date.parse(`${month}-01`));

/**
 * As the server writes it: short Arabic names have no article, short Persian ones are letters.
 * @param {number} weekday 1 = Sunday … 7 = Saturday @param {string} locale @param {"short" | "long"} width
 */
export const weekdayName = (weekday, locale, width = "short") =>
  // 2023-01-01 was a Sunday.
  formatOf(locale, { weekday: width === "short" && /^fa\b/i.test(locale) ? "narrow" : width }).format(Date.parse(`2023-01-0${weekday}`))
    .replace(width === "short" ? /^ال/ : "", "");

/** @type {Map<string, {minute: number, date: string}>} the last answers of `todayIn` by zone: each unavailable day asks for it */
const todays = new Map();

/**
 * The date of an instant in a time zone.
 * @param {number} milliseconds since 1970 @param {string} timeZone
 */
export function todayIn(milliseconds, timeZone) {
  const minute = Math.floor(milliseconds / 60_000);
  const last = todays.get(timeZone);
  if (last?.minute === minute) return last.date;
  // In Swedish, dates are those of ISO 8601.
  const date = formatOf("sv", { timeZone }).format(milliseconds);
  todays.set(timeZone, { minute, date });
  return date;
}

/**
 * A part of a formatted instant.
 * @param {number} at @param {string} locale @param {Intl.DateTimeFormatOptions} options
 */
const zonePart = (at, locale, options) =>
  formatOf(locale, options).formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";

/**
 * The difference of a zone to UTC, such as "GMT+1".
 * @param {number} at @param {string} timeZone @param {string} locale
 */
export const offsetIn = (at, timeZone, locale) => zonePart(at, locale, { timeZone, timeZoneName: "shortOffset" });

/**
 * The city of a zone.
 * @param {string} timeZone
 */
export const cityOf = (timeZone) => timeZone.split("/").at(-1)?.replaceAll("_", " ") ?? timeZone;

/** @param {number} at @param {string} timeZone @param {string} locale */
export const zoneName = (at, timeZone, locale) => zonePart(at, locale, { timeZone, timeZoneName: "longGeneric" });

/**
 * A day in a zone, a time of day with its weekday, or both. Times are as in `timeText`: a format with a weekday has "9:00" in
 * languages that write "09:00".
 * @param {number} at @param {string} timeZone @param {string} locale @param {boolean} hasDay @param {boolean} hasTime
 */
export function momentIn(at, timeZone, locale, hasDay, hasTime) {
  /** @param {Intl.DateTimeFormatOptions} options */
  const format = (options) => formatOf(locale, { timeZone, ...options });
  const parts = format({
    weekday: "short", ...(hasDay && { month: "short", day: "numeric" }), ...(hasTime && { hour: "numeric", minute: "2-digit" }),
  }).formatToParts(at).map(({ type, value }) => (/hour|minute|dayPeriod/.test(type) ? null : value));
  const [first, last] = [parts.indexOf(null), parts.lastIndexOf(null)];
  if (hasTime) parts.splice(first, last - first + 1, whole(format({ timeStyle: "short" }).format(at)));
  return parts.join("");
}

/**
 * A time of which no line ends between 9 and AM.
 * @param {string} text
 */
const whole = (text) => text.replace(/\s/, "\u00a0");

/**
 * A time of day, with 12 or 24 hours.
 * @param {string} time `14:30` @param {string} locale
 */
export const timeText = (time, locale) =>
  whole(formatOf(locale, { timeStyle: "short" }).format(Date.parse(`1970-01-01T${time}Z`)));

/**
 * An hour as in "2 PM"; null in languages with 24 hours.
 * @param {string} hour `14` @param {string} locale
 */
export function hourText(hour, locale) {
  const format = formatOf(locale, { hour: "numeric" });
  return format.resolvedOptions().hour12 ? whole(format.format(Date.parse(`1970-01-01T${hour}:00Z`))) : null;
}

/**
 * The columns of a date in the order of a language: 0 is the year, 1 the month, 2 the day.
 * @param {string} locale
 */
export const dateOrder = (locale) =>
  formatOf(locale, { year: "numeric", month: "long", day: "numeric" }).formatToParts(0)
    .flatMap(({ type }) => (type === "year" ? [0] : type === "month" ? [1] : type === "day" ? [2] : []));

/**
 * The time of day of an instant, on this device's clock; empty for none.
 * @param {string | null} instant @param {string} locale
 */
export const clockText = (instant, locale) =>
  (instant ? formatOf(locale, { timeStyle: "short", timeZone: undefined }).format(Date.parse(instant)) : "");
