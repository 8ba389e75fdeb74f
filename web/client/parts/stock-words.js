// The texts of what takes from an inventory, in all languages.

import { languageOf } from "../words/words.js";

/**
 * @typedef {object} StockWords
 * @property {string} label of the group of controls
 * @property {(count: number) => string} left how many units are left
 * @property {string} held below a day, or beside a row @property {string} soldOut the same
 * @property {(time: string) => string} back of a day that is held: it may come back at `time`, empty if unknown
 * @property {string} units the label of their number @property {string} fewer @property {string} more
 * @property {string} hold @property {string} extend @property {string} release @property {string} join @property {string} leave
 * @property {string} heldFor before the time that is left
 * @property {(what: string) => string} offered before the time that is left
 * @property {(what: string, place: number) => string} waiting
 * @property {(what: string) => string} goneNow what the user wants is sold out
 * @property {(what: string, time: string) => string} heldNow it is held by somebody else; `time`: as for `back`
 * @property {(time: string) => string} heldUntil announced @property {(time: string) => string} holds what another member does
 * @property {(what: string, time: string) => string} yourTurn
 * @property {string} givenBack @property {string} notInLine the place on the waiting list was given up
 * @property {{two: string, half: string}} holdEnds announced two minutes and half a minute before
 * @property {{two: string, half: string}} offerEnds
 * @property {string} holdEnded @property {string} offerEnded @property {string} moved @property {string} nobody @property {string} lost
 * @property {(min: number, max: number) => string} wrongUnits
 */

/** @type {StockWords} */
const en = {
  label: "Places", left: (count) => `${count} left`, held: "held", soldOut: "sold out",
  back: (time) => (time ? `held, may come back at ${time}` : "held, may come back"),
  units: "How many", fewer: "Fewer", more: "More",
  hold: "Hold", extend: "Extend", release: "Give back", join: "Join the waiting list", leave: "Leave the list",
  heldFor: "Held for you", offered: (what) => `It is your turn: confirm ${what}`,
  waiting: (what, place) => `On the waiting list for ${what}: ${place === 1 ? "you are next" : `number ${place}`}`,
  goneNow: (what) => `${what} is sold out.`,
  heldNow: (what, time) => `${what} is held by somebody else. It may come back${time && ` at ${time}`}.`,
  heldUntil: (time) => `Held for you until ${time}.`, holds: (time) => `holds this until ${time}`,
  yourTurn: (what, time) => `It is your turn: ${what} is yours if you confirm by ${time}.`,
  givenBack: "Given back.", notInLine: "You have left the waiting list.",
  holdEnds: { two: "Your hold ends in two minutes.", half: "Your hold ends in thirty seconds. Confirm or extend it." },
  offerEnds: { two: "The offer ends in two minutes.", half: "The offer ends in thirty seconds. Confirm it." },
  holdEnded: "Your hold has ended. Your choice stays, but others can take it now.",
  offerEnded: "The offer has ended. It goes to the next on the waiting list.",
  moved: "The choice has changed: nothing is held any more.", nobody: "Nobody was here: nothing is held any more.",
  lost: "The offer is gone: it is no longer possible.",
  wrongUnits: (min, max) => `Choose a number from ${min} to ${max}.`,
};

const digits = new Intl.NumberFormat("ar");

/** @type {{[language: string]: StockWords}} */
export const stockLanguages = {
  en,
  de: {
    label: "Plätze", left: (count) => `${count} frei`, held: "besetzt", soldOut: "ausverkauft",
    back: (time) => (time ? `gehalten, vielleicht um ${time} wieder frei` : "gehalten, vielleicht bald wieder frei"),
    units: "Anzahl", fewer: "Weniger", more: "Mehr",
    hold: "Halten", extend: "Verlängern", release: "Zurückgeben", join: "Auf die Warteliste", leave: "Von der Liste gehen",
    heldFor: "Für Sie gehalten", offered: (what) => `Sie sind dran: ${what} bestätigen`,
    waiting: (what, place) => `Auf der Warteliste für ${what}: ${place === 1 ? "Sie sind als Nächstes dran" : `Platz ${place}`}`,
    goneNow: (what) => `${what} ist ausverkauft.`,
    heldNow: (what, time) => `${what} hält gerade jemand anderes. Vielleicht ${time ? `um ${time}` : "bald"} wieder frei.`,
    heldUntil: (time) => `Für Sie gehalten bis ${time}.`, holds: (time) => `hält das bis ${time}`,
    yourTurn: (what, time) => `Sie sind dran: ${what} gehört Ihnen, wenn Sie bis ${time} bestätigen.`,
    givenBack: "Zurückgegeben.", notInLine: "Sie stehen nicht mehr auf der Warteliste.",
    holdEnds: { two: "In zwei Minuten wird es nicht mehr gehalten.", half: "In dreißig Sekunden wird es nicht mehr gehalten. Bestätigen oder verlängern Sie." },
    offerEnds: { two: "Das Angebot endet in zwei Minuten.", half: "Das Angebot endet in dreißig Sekunden. Bestätigen Sie es." },
    holdEnded: "Es wird nicht mehr gehalten. Ihre Auswahl bleibt, aber andere können sie jetzt nehmen.",
    offerEnded: "Das Angebot ist abgelaufen. Es geht an die Nächsten auf der Warteliste.",
    moved: "Die Auswahl hat sich geändert: Es wird nichts mehr gehalten.", nobody: "Niemand war hier: Es wird nichts mehr gehalten.",
    lost: "Das Angebot gilt nicht mehr: Es ist so nicht mehr möglich.",
    wrongUnits: (min, max) => `Wählen Sie eine Anzahl von ${min} bis ${max}.`,
  },
  ar: {
    label: "الأماكن", left: (count) => `بقي ${digits.format(count)}`, held: "مؤقت", soldOut: "نفد",
    back: (time) => (time ? `محجوز مؤقتًا، قد يتاح من جديد في ${time}` : "محجوز مؤقتًا، قد يتاح من جديد"),
    units: "العدد", fewer: "أقل", more: "أكثر",
    hold: "حجز مؤقت", extend: "تمديد", release: "تخلٍّ", join: "إلى قائمة الانتظار", leave: "مغادرة القائمة",
    heldFor: "محجوز لك مؤقتًا", offered: (what) => `حان دورك: أكّد ${what}`,
    waiting: (what, place) => `في قائمة انتظار ${what}: ${place === 1 ? "دورك هو التالي" : `الرقم ${digits.format(place)}`}`,
    goneNow: (what) => `نفدت الأماكن: ${what}.`,
    heldNow: (what, time) => `${what} محجوز مؤقتًا لشخص آخر. قد يتاح من جديد${time && ` في ${time}`}.`,
    heldUntil: (time) => `محجوز لك حتى ${time}.`, holds: (time) => `حجز هذا مؤقتًا حتى ${time}`,
    yourTurn: (what, time) => `حان دورك: ${what} لك إن أكّدت قبل ${time}.`,
    givenBack: "تم التخلي عنه.", notInLine: "غادرت قائمة الانتظار.",
    holdEnds: { two: "ينتهي حجزك المؤقت بعد دقيقتين.", half: "ينتهي حجزك المؤقت بعد ثلاثين ثانية. أكّده أو مدّده." },
    offerEnds: { two: "ينتهي العرض بعد دقيقتين.", half: "ينتهي العرض بعد ثلاثين ثانية. أكّده." },
    holdEnded: "انتهى حجزك المؤقت. يبقى اختيارك، لكن يمكن للآخرين أخذه الآن.",
    offerEnded: "انتهى العرض. ينتقل إلى التالي في قائمة الانتظار.",
    moved: "تغيّر الاختيار: لم يعد شيء محجوزًا مؤقتًا.", nobody: "لم يكن أحد هنا: لم يعد شيء محجوزًا مؤقتًا.",
    lost: "لم يعد العرض قائمًا لأنه لم يعد ممكنًا.",
    wrongUnits: (min, max) => `اختر عددًا من ${digits.format(min)} إلى ${digits.format(max)}.`,
  },
  ja: {
    label: "空き", left: (count) => `残り${count}`, held: "仮予約", soldOut: "満席",
    back: (time) => (time ? `仮押さえ中、${time}に空くことがあります` : "仮押さえ中、また空くことがあります"),
    units: "数", fewer: "減らす", more: "増やす",
    hold: "仮押さえ", extend: "延長", release: "戻す", join: "キャンセル待ちに登録", leave: "キャンセル待ちをやめる",
    heldFor: "仮押さえ中", offered: (what) => `順番が来ました。${what}を確定してください`,
    waiting: (what, place) => `${what}のキャンセル待ち：${place === 1 ? "次の順番です" : `${place}番目`}`,
    goneNow: (what) => `${what}は空きがありません。`,
    heldNow: (what, time) => `${what}はほかの人が仮押さえ中です。${time}${time && "に"}また空くことがあります。`,
    heldUntil: (time) => `${time}まで仮押さえしました。`, holds: (time) => `が${time}まで仮押さえしました`,
    yourTurn: (what, time) => `順番が来ました。${time}までに確定すれば${what}を取れます。`,
    givenBack: "戻しました。", notInLine: "キャンセル待ちをやめました。",
    holdEnds: { two: "仮押さえはあと2分で終わります。", half: "仮押さえはあと30秒で終わります。確定するか、延長してください。" },
    offerEnds: { two: "あと2分で期限です。", half: "あと30秒で期限です。確定してください。" },
    holdEnded: "仮押さえが終わりました。選択は残りますが、ほかの人も取れるようになりました。",
    offerEnded: "期限が切れました。次のキャンセル待ちの人に回ります。",
    moved: "選択が変わったため、仮押さえは解除されました。", nobody: "誰もいなかったため、仮押さえは解除されました。",
    lost: "選べなくなったため、順番は取り消されました。",
    wrongUnits: (min, max) => `${min}から${max}までの数を選んでください。`,
  },
  zh: {
    label: "名额", left: (count) => `剩${count}`, held: "暂留", soldOut: "售完",
    back: (time) => (time ? `已被暂留，可能在 ${time} 再次开放` : "已被暂留，可能再次开放"),
    units: "数量", fewer: "减少", more: "增加",
    hold: "暂留", extend: "延长", release: "放弃", join: "加入候补名单", leave: "退出候补名单",
    heldFor: "已为您暂留", offered: (what) => `轮到您了：请确认 ${what}`,
    waiting: (what, place) => `正在候补 ${what}：${place === 1 ? "下一个就是您" : `第 ${place} 位`}`,
    goneNow: (what) => `${what} 已售完。`,
    heldNow: (what, time) => `${what} 正被他人暂留，可能${time && `在 ${time} `}再次开放。`,
    heldUntil: (time) => `已为您暂留到 ${time}。`, holds: (time) => `暂留到 ${time}`,
    yourTurn: (what, time) => `轮到您了：在 ${time} 前确认，${what} 就是您的。`,
    givenBack: "已放弃。", notInLine: "您已退出候补名单。",
    holdEnds: { two: "您的暂留将在两分钟后结束。", half: "您的暂留将在三十秒后结束，请确认或延长。" },
    offerEnds: { two: "名额将在两分钟后失效。", half: "名额将在三十秒后失效，请确认。" },
    holdEnded: "您的暂留已结束。您的选择还在，但他人现在也可以订。",
    offerEnded: "名额已失效，将给候补名单上的下一位。",
    moved: "选择已改变，不再暂留。", nobody: "没有人在场，不再暂留。",
    lost: "该名额已不可用。",
    wrongUnits: (min, max) => `请选择 ${min} 到 ${max}。`,
  },
};

/** @param {string} locale BCP 47 */
export const stockWordsOf = (locale) => stockLanguages[languageOf(locale)] ?? en;
