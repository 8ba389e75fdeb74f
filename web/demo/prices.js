// Prices for the days of a calendar, as notes.

import { dateOf, dateOfExpression, ordinalOf, weekdayOf } from "../client/core/civil.js";
import { todayIn } from "../client/words/dates.js";

/** @typedef {{amount: number, tone?: string, weekdays?: number[], from?: string, through?: string}} Price the first one that matches a day is used */

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
    return price ? [[date, { text: euros.format(price.amount).slice(0, 24), ...(price.tone && { tone: price.tone }) }]] : [];
  });
  return { days: Object.fromEntries(days) };
}
