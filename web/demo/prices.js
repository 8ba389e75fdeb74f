// Prices for the days of a calendar, as notes.

import { dateOf, dateOfExpression, ordinalOf, weekdayOf } from "../client/core/civil.js";
import { todayIn } from "../client/words/dates.js";

/** @typedef {{amount: number, tone?: string, weekdays?: number[], from?: string, through?: string}} Price the first one that matches a day is used */

/**
 * The amount in the text of a note; null if there is none.
 * @param {string} text
 */
export function amountIn(text) {
  const [number] = /\d+(?:[.,]\d{1,2}(?!\d))?/.exec(text) ?? [];
  return number === undefined ? null : Number(number.replace(",", "."));
}

/** The number of days from today on that have a price. */
const pricedDays = 180;

/** @param {Price[]} prices @param {{timeZone: string}} definition @param {string} locale of the amounts */
export function notesFrom(prices, { timeZone }, locale, now = Date.now()) {
  const today = todayIn(now, timeZone);
  const dated = prices.map((price) => ({
    ...price, from: price.from && dateOfExpression(price.from, today), through: price.through && dateOfExpression(price.through, today),
  }));
  const euros = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR", maximumFractionDigits: 0 });
  const days = Array.from({ length: pricedDays }, (_, offset) => dateOf(ordinalOf(today) + offset)).flatMap((date) => {
    const price = dated.find(({ weekdays, from, through }) => (!weekdays || weekdays.includes(weekdayOf(ordinalOf(date))))
      && (!from || from <= date) && (!through || date <= through));
    if (!price) return [];
    const { amount, tone } = price;
    return [[date, { text: euros.format(amount).slice(0, 24), amount, ...(tone && { tone }) }]];
  });
  return { days: Object.fromEntries(days) };
}
