// The texts of <pickerd-availability> in Japanese.

/** @type {import("./types").MarkWords} */
export const marks = {
  grades: { yes: "はい", maybe: "たぶん", no: "いいえ" },
  grade: "印の種類",
  guide: {
    mouse: "都合のよい時間をドラッグしてください。もう一度ドラッグすると消えます。",
    touch: "時間をタップするか、長押ししてドラッグしてください。",
    mouseDates: "都合のよい日をドラッグしてください。もう一度ドラッグすると消えます。",
    touchDates: "日をタップするか、長押ししてドラッグしてください。",
  },
  grid: "都合", zone: "タイムゾーン",
  best: "おすすめ", nothingBest: "まだ候補がありません。よい候補がここに表示されます。",
  hidden: "結果を見られるのはオーナーだけです。", namesHidden: "誰かはオーナーだけに表示されます。",
  answered: (count) => `${count} 人が回答しました`, nobody: "まだ回答がありません",
  can: "参加できる", perhaps: "たぶん", cannot: "参加できない", unmarked: "未記入", unmarkedAsYes: "未記入（参加できるとみなす）",
  of: (count, all) => `${all} 人中 ${count} 人`,
  counts: (yes, maybe, no) => [
    `はい ${yes}`, maybe && `たぶん ${maybe}`, no && `いいえ ${no}`,
  ].filter(Boolean).join("、"),
  mine: (grade) => `あなた：${grade}`,
  confirmWindow: (text) => `${text} に確定`,
  past: "過去", again: "二度目",
  closes: (time) => `回答期限：${time}`, closed: "回答は締め切られました。",
  painted: (grade, count) => `${grade}：${count} マス`,
  erased: (count) => `${count} マスを消しました`,
  nowBest: (text, counts) => `一番人気：${text}、${counts}`,
  refusals: {
    closed: "回答は締め切られました。", noSuchGrade: "その回答は使えなくなりました。",
    staleCells: "時間が変更されました。もう一度印を付けてください。", noSuchCell: "その時間はもうありません。",
    past: "その時間は過ぎています。", full: "回答数が上限に達しています。",
    tooManyRuns: "回答が細かく分かれすぎています。間を埋めてください。",
  },
};
