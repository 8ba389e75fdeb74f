// The texts of <pickerd-availability> in simplified Chinese.

/** @type {import("./types").MarkWords} */
export const marks = {
  grades: { yes: "可以", maybe: "也许", no: "不行" },
  grade: "标记为",
  guide: {
    mouse: "拖过您有空的时间；再拖一次即可擦除。",
    touch: "点按一个时间，或按住后拖动。",
    mouseDates: "拖过您有空的日子；再拖一次即可擦除。",
    touchDates: "点按一天，或按住后拖动。",
  },
  grid: "空闲时间", zone: "时区",
  best: "最合适", nothingBest: "还没有合适的时间，最佳选择会显示在这里。",
  hidden: "只有所有者能看到结果。", namesHidden: "只有所有者能看到是谁。",
  answered: (count) => `${count} 人已回答`, nobody: "还没有人回答",
  can: "可以", perhaps: "也许", cannot: "不行", unmarked: "未标记", unmarkedAsYes: "未标记，视为可以",
  of: (count, all) => `${count}/${all}`,
  counts: (yes, maybe, no) => [
    `${yes} 人可以`, maybe && `${maybe} 人也许`, no && `${no} 人不行`,
  ].filter(Boolean).join("，"),
  mine: (grade) => `您：${grade}`,
  confirmWindow: (text) => `确认 ${text}`,
  past: "已过去", again: "第二次",
  closes: (time) => `回答截止于 ${time}。`, closed: "回答已截止。",
  painted: (grade, count) => `${grade}：${count} 格`,
  erased: (count) => `已擦除 ${count} 格`,
  nowBest: (text, counts) => `目前领先：${text}，${counts}`,
  refusals: {
    closed: "回答已截止。", noSuchGrade: "这个选项已不可用。", staleCells: "时间已有变化，请重新标记。",
    noSuchCell: "这个时间已不存在。", past: "这个时间已经过去。", full: "回答人数已满。",
    tooManyRuns: "您的回答分段太多，请填补一些空隙。",
  },
};
