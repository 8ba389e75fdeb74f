// The texts of what the first paint does not need, in all languages.

import { languageOf } from "../words/words.js";

/**
 * @typedef {object} LaterWords
 * @property {string} title of the dialog for months and dates
 * @property {string} year @property {string} month @property {string} close
 * @property {string} day @property {string} first @property {string} last
 * @property {string} arrival @property {string} departure
 * @property {string} pick the button for typed dates
 * @property {(name: string, span: string) => string} picked @property {string} show
 * @property {(price: string) => string} from the lowest price of a month
 */

/** @type {LaterWords} */
const en = {
  title: "Month and dates", year: "Year", month: "Month", close: "Close",
  day: "Day", first: "First day", last: "Last day", arrival: "Arrival", departure: "Departure", pick: "Pick",
  picked: (name, span) => `${name} picked ${span}`, show: "Show", from: (price) => `from ${price}`,
};

/** @type {{[language: string]: LaterWords}} */
const languages = {
  en,
  ar: {
    title: "الشهر والتواريخ", year: "السنة", month: "الشهر", close: "إغلاق",
    day: "اليوم", first: "اليوم الأول", last: "اليوم الأخير", arrival: "الوصول", departure: "المغادرة", pick: "اختيار",
    picked: (name, span) => `${name} اختار \u2068${span}\u2069`, show: "عرض", from: (price) => `من \u2068${price}\u2069`,
  },
  de: {
    title: "Monat und Daten", year: "Jahr", month: "Monat", close: "Schließen",
    day: "Tag", first: "Erster Tag", last: "Letzter Tag", arrival: "Anreise", departure: "Abreise", pick: "Wählen",
    picked: (name, span) => `${name} hat ${span} gewählt`, show: "Zeigen", from: (price) => `ab ${price}`,
  },
  ja: {
    title: "月と日付", year: "年", month: "月", close: "閉じる",
    day: "日付", first: "開始日", last: "終了日", arrival: "到着日", departure: "出発日", pick: "選択",
    picked: (name, span) => `${name}さんが${span}を選択`, show: "表示", from: (price) => `${price}から`,
  },
  zh: {
    title: "月份和日期", year: "年", month: "月", close: "关闭",
    day: "日期", first: "第一天", last: "最后一天", arrival: "入住日", departure: "离店日", pick: "选择",
    picked: (name, span) => `${name}选择了${span}`, show: "查看", from: (price) => `${price}起`,
  },
};

/** @param {string} locale BCP 47 */
export const laterWordsOf = (locale) => languages[languageOf(locale)] ?? en;
