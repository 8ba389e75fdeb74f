// The texts of the search in a long column, in all languages.

import { languageOf } from "../words/words.js";

/**
 * @typedef {object} FinderWords
 * @property {(label: string) => string} find @property {string} close @property {string} none
 * @property {string} type the hint before something is typed
 * @property {(count: number) => string} matches @property {(count: number) => string} more there are more than these
 */

/** @type {FinderWords} */
const en = {
  find: (label) => `Find: ${label}`, close: "Close", none: "No match", type: "Type a part of it.",
  matches: (count) => `Matches: ${count}`, more: (count) => `The first ${count} matches. Type more to see fewer.`,
};

/** @type {{[language: string]: FinderWords}} */
const languages = {
  en,
  ar: {
    find: (label) => `بحث: ${label}`, close: "إغلاق", none: "لا توجد نتائج", type: "اكتب جزءًا منه.",
    matches: (count) => `النتائج: ${count}`, more: (count) => `أول النتائج: ${count}. اكتب المزيد لتقليلها.`,
  },
  de: {
    find: (label) => `Suchen: ${label}`, close: "Schließen", none: "Kein Treffer", type: "Tippen Sie einen Teil davon.",
    matches: (count) => `Treffer: ${count}`, more: (count) => `Die ersten ${count} Treffer. Tippen Sie weiter.`,
  },
  ja: {
    find: (label) => `検索：${label}`, close: "閉じる", none: "一致するものはありません", type: "一部を入力してください。",
    matches: (count) => `一致：${count}件`, more: (count) => `最初の${count}件です。さらに入力すると絞り込めます。`,
  },
  zh: {
    find: (label) => `搜索：${label}`, close: "关闭", none: "没有匹配项", type: "请输入其中一部分。",
    matches: (count) => `匹配项：${count}`, more: (count) => `前 ${count} 个匹配项。继续输入可缩小范围。`,
  },
};

/** @param {string} locale BCP 47 */
export const finderWordsOf = (locale) => languages[languageOf(locale)] ?? en;
