// The texts of <pickerd-availability> in Arabic.

/** @type {import("./types").MarkWords} */
export const marks = {
  grades: { yes: "نعم", maybe: "ربما", no: "لا" },
  grade: "علّم بـ",
  guide: {
    mouse: "اسحب فوق الأوقات التي تناسبك. اسحب مرة أخرى للمسح.",
    touch: "انقر وقتًا، أو اضغط مطولًا واسحب.",
    mouseDates: "اسحب فوق الأيام التي تناسبك. اسحب مرة أخرى للمسح.",
    touchDates: "انقر يومًا، أو اضغط مطولًا واسحب.",
  },
  grid: "أوقات الفراغ", zone: "المنطقة الزمنية",
  best: "أفضل الخيارات", nothingBest: "لا شيء يناسب بعد. ستظهر أفضل الخيارات هنا.",
  hidden: "المالك وحده يرى النتائج.", namesHidden: "المالك وحده يرى الأسماء.",
  answered: (count) => `عدد المجيبين: ${count}`, nobody: "لم يجب أحد بعد",
  can: "يستطيع", perhaps: "ربما", cannot: "لا يستطيع", unmarked: "بلا علامة", unmarkedAsYes: "بلا علامة، تُحسب نعم",
  of: (count, all) => `${count} من ${all}`,
  counts: (yes, maybe, no) => [
    `نعم: ${yes}`, maybe && `ربما: ${maybe}`, no && `لا: ${no}`,
  ].filter(Boolean).join("، "),
  mine: (grade) => `أنت: ${grade}`,
  confirmWindow: (text) => `تأكيد ${text}`,
  past: "مضى", again: "مرة ثانية",
  closes: (time) => `الإجابة حتى ${time}.`, closed: "أُغلقت الإجابات.",
  painted: (grade, count) => `${grade}: عدد الخانات ${count}`,
  erased: (count) => `مُسحت خانات عددها ${count}`,
  nowBest: (text, counts) => `في المقدمة: ${text}، ${counts}`,
  refusals: {
    closed: "أُغلقت الإجابات.", noSuchGrade: "لم تعد هذه الإجابة متاحة.",
    staleCells: "تغيّرت الأوقات في هذه الأثناء. علّمها من جديد.", noSuchCell: "لم يعد هذا الوقت موجودًا.",
    past: "مضى هذا الوقت.", full: "بلغ عدد الإجابات أقصاه.",
    tooManyRuns: "في إجابتك أجزاء متفرقة كثيرة جدًا. املأ بعض الفراغات.",
  },
};
