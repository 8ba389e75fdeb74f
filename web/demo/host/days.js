// Actions on days of a calendar: sold out, or a price. The host clicks the days in a small month.

import { dateAfterKey } from "../../client/calendar/keys.js";
import { dayCountOf, gridOf, monthIndexOf, monthOf } from "../../client/core/civil.js";
import { boundOf, todayOf } from "../../client/parts/session-dates.js";
import { fullDate, monthTitle, weekdayName, wordsOf } from "../../client/words/words.js";
import { h } from "../patch.js";
import { amountIn } from "../prices.js";
import { action, noteFields } from "./action.js";
import { mergePatch, notesPatch } from "./request.js";

/** @typedef {import("../../client/core/session.js").PickerSession} PickerSession */
/** @typedef {import("./panel.js").HostPanel} HostPanel */

/**
 * What the host looks at: the day that is reached with Tab, and the request that is shown for it. The request stays while the
 * day is the same, even after it was performed.
 * @typedef {{month: string | null, date: string, isPrice: boolean, shownFor: string, request: import("./request.js").HostRequest | null}} Days
 */

/** @param {HostPanel} host @param {PickerSession} picker @returns {import("../patch.js").View} */
export function days(host, picker) {
  const { monthList, range } = picker.state;
  if (!monthList) return null;
  const { words, locale, days: shown } = host;
  const today = todayOf(picker);
  const listed = (/** @type {string} */ month) => (month < monthList.first ? monthList.first : month > monthList.last ? monthList.last : month);
  const month = shown.month = listed(shown.month ?? (range?.start ?? today).slice(0, 7));
  if (shown.date.slice(0, 7) !== month) shown.date = month === today.slice(0, 7) ? today : `${month}-01`;
  const { fields, note } = noteFields(host, "day", words.host.price, "€ 120");
  const described = `${shown.date} ${shown.isPrice} ${JSON.stringify(note)}`;
  if (shown.shownFor !== described) show(host, picker, shown.date, note);
  /** @param {"soldOut" | "price"} tool */
  const choice = (tool) => h("label", { key: tool }, h("input", {
    type: "radio", name: `host-tool-${host.session}`, value: tool, checked: shown.isPrice === (tool === "price"),
    onchange: () => { shown.isPrice = tool === "price"; host.redraw(); },
  }), h("span", {}, words.host[tool]));
  /** @param {number} months @param {string} sign @param {string} name */
  const turn = (months, sign, name) => h("button", {
    class: "host-turn", key: sign, type: "button", "aria-label": `${words.host.heading}: ${name}`,
    onclick: () => { shown.month = monthOf(monthIndexOf(month) + months); host.redraw(); },
  }, h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: sign })));
  return action(host, "host-days", words.host.days, shown.request,
    h("fieldset", { class: "host-tools" }, h("legend", { class: "unseen" }, words.host.days), choice("soldOut"), choice("price")),
    shown.isPrice && fields,
    h("div", { class: "host-month" },
      h("div", { class: "host-head" }, turn(-1, "m15 5-7 7 7 7", wordsOf(locale).previousMonth),
        h("strong", { "aria-live": "polite" }, monthTitle(month, locale)), turn(1, "m9 5 7 7-7 7", wordsOf(locale).nextMonth)),
      monthView(host, picker, month, note)));
}

/** @param {HostPanel} host @param {PickerSession} picker @param {string} month @param {Note} note */
function monthView(host, picker, month, note) {
  const { locale, words, days: { isPrice, date: focused } } = host;
  const first = picker.state.definition?.firstWeekday ?? 1;
  const { lead } = gridOf(monthIndexOf(month), first, "fit");
  const [min, max] = [boundOf(picker, "min"), boundOf(picker, "max")];
  const digits = new Intl.NumberFormat(locale);
  return [
    h("div", { class: "host-weekdays", "aria-hidden": "true" }, Array.from({ length: 7 }, (_, column) =>
      h("span", {}, weekdayName(((first - 1 + column) % 7) + 1, locale)))),
    h("div", { class: "host-grid", role: "group", "aria-label": monthTitle(month, locale) },
      Array.from({ length: lead }, () => h("span")),
      Array.from({ length: dayCountOf(monthIndexOf(month)) }, (_, index) => {
        const date = `${month}-${String(index + 1).padStart(2, "0")}`;
        const closed = closedBy(host, date, picker);
        const noted = noteOn(date, picker);
        const point = () => {
          show(host, picker, date, note);
          host.redraw();
        };
        const isRefused = !isPrice && closed === "other";
        return h("button", {
          type: "button", class: "host-day", "data-date": date, "data-closed": closed, "data-noted": noted,
          "data-beyond": (min !== null && date < min) || (max !== null && date > max),
          "aria-pressed": String(isPrice ? noted !== undefined : closed === "host"), "aria-disabled": isRefused ? "true" : null,
          "aria-label": [fullDate(date, locale), closed && words.host.soldOut, noted].filter(Boolean).join(", "),
          tabindex: date === focused ? "0" : "-1", onpointerover: point, onfocus: point,
          onclick: () => {
            point();
            if (!isRefused && host.days.request) void host.perform(host.days.request);
          },
          onkeydown: (/** @type {KeyboardEvent} */ event) => press(host, picker, event, date),
        }, digits.format(index + 1));
      })),
  ];
}

/** @param {HostPanel} host @param {PickerSession} picker @param {KeyboardEvent} event @param {string} date */
function press(host, picker, event, date) {
  const list = picker.state.monthList;
  if (!list || event.ctrlKey || event.metaKey || event.altKey) return;
  const grid = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (event.currentTarget).parentElement);
  const isRightToLeft = getComputedStyle(grid).direction === "rtl";
  const next = dateAfterKey(event.key, event.shiftKey, date, { firstWeekday: picker.state.definition?.firstWeekday ?? 1, isRightToLeft });
  if (!next) return;
  event.preventDefault();
  if (next.slice(0, 7) < list.first || next.slice(0, 7) > list.last) return;
  host.days.month = next.slice(0, 7);
  host.days.date = next;
  host.redraw();
  /** @type {HTMLElement | null} */ (grid.querySelector(`[data-date="${next}"]`))?.focus();
}

/** @typedef {{text: string, tone: string | null} | null} Note */

/**
 * Shows the request for a day.
 * @param {HostPanel} host @param {PickerSession} picker @param {string} date @param {Note} note
 */
function show(host, picker, date, note) {
  const { isPrice } = host.days;
  const isThere = note !== null && noteOn(date, picker) === note.text;
  // What is added up must be what is shown.
  const amount = picker.state.definition?.currency && note && { amount: amountIn(note.text) };
  const taken = closedBy(host, date, picker) === "host" ? null : { from: date, through: date };
  Object.assign(host.days, {
    date, shownFor: `${date} ${isPrice} ${JSON.stringify(note)}`,
    request: isPrice ? notesPatch({ days: { [date]: isThere ? null : note && { ...note, ...amount } } })
      : mergePatch({ taken: { [`host-${date}`]: taken } }),
  });
}

/**
 * Who has closed a single day: this panel, another host, or nobody.
 * @param {HostPanel} host @param {string} date @param {PickerSession} picker @returns {"host" | "other" | null}
 */
function closedBy({ given }, date, picker) {
  const blocked = picker.state.definition?.blocked ?? [];
  const taken = given?.taken ?? {};
  if (taken[`host-${date}`]) return "host";
  const covers = (/** @type {{from?: string, through?: string}} */ { from, through = from }) =>
    from !== undefined && through !== undefined && from <= date && date <= through;
  return [...blocked, ...Object.values(taken)].some(covers) ? "other" : null;
}

/** @param {string} date @param {PickerSession} picker */
const noteOn = (date, picker) =>
  picker.state.months.get(date.slice(0, 7))?.cells.find((cell) => cell.date === date && !cell.outside)?.note?.text;
