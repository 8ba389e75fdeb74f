// The texts of the elements in Arabic.

const rules = new Intl.PluralRules("ar");
const digits = new Intl.NumberFormat("ar");

/** @param {number} count @param {{one: string, two: string, few: string, many: string, other: string}} forms */
function counted(count, forms) {
  const form = rules.select(count);
  if (form === "one") return forms.one;
  if (form === "two") return forms.two;
  return `${digits.format(count)} ${form === "few" ? forms.few : form === "many" ? forms.many : forms.other}`;
}

const nightForms = { one: "ليلة واحدة", two: "ليلتان", few: "ليالٍ", many: "ليلة", other: "ليلة" };
const dayForms = { one: "يوم واحد", two: "يومان", few: "أيام", many: "يومًا", other: "يوم" };

/** @type {import("./types").Words} */
export const ar = {
  you: "أنت", time: "مرور الوقت", somebody: "شخص ما",
  offlineMember: (name) => `${name} (غائب)`,

  columns: { year: "السنة", month: "الشهر", date: "اليوم", day: "اليوم", hour: "الساعة", minute: "الدقيقة" },
  column: (number) => `العمود ${digits.format(number)}`,
  level: (number) => `المستوى ${digits.format(number)}`,
  previous: (label) => `${label}: إلى الأعلى`,
  next: (label) => `${label}: إلى الأسفل`,
  empty: "لا شيء للاختيار هنا",

  undo: "تراجع", redo: "إعادة", clear: "مسح", confirm: "تأكيد", cancel: "إلغاء", reopen: "إعادة الفتح",
  retry: "أعد المحاولة الآن", useHere: "استخدمه هنا",
  today: "اليوم", previousMonth: "الشهر السابق", nextMonth: "الشهر التالي", calendar: "التقويم",

  connection: {
    idle: "غير متصل", connecting: "جارٍ الاتصال…", joining: "جارٍ الانضمام…", live: "متصل",
    waiting: "انقطع الاتصال. جارٍ إعادة الاتصال…", offline: "أنت غير متصل بالشبكة.",
    full: "هذه الجلسة أو الخادم ممتلئ أو غير متاح الآن. جارٍ إعادة المحاولة…",
    access: "في انتظار إذن الوصول إلى هذا المنتقي…",
    revoked: "أُلغي إذن وصولك إلى هذا المنتقي. في انتظار إذن جديد…",
    credentials: "لا يتيح هذا الرابط الوصول، أو لم يعد يتيحه. اطلب رابطًا جديدًا.",
    expired: "انتهت صلاحية وصولك. أعد تحميل الصفحة أو سجّل الدخول من جديد.",
    left: "لقد غادرت.", ended: "انتهى هذا المنتقي.", elsewhere: "هذا المنتقي مفتوح لديك في نافذة أخرى.",
    notAllowed: "ليس لديك حق الوصول إلى هذا المنتقي.", away: "هذه الصفحة لا تطابق إصدار الخادم. أعد تحميلها.",
  },
  slow: "لم يرد الخادم بعد.",
  unstored: "لم يُحفظ بعد",
  queued: (count) => `تغييرات ستُرسل عند عودة الاتصال: ${digits.format(count)}`,

  corrected: (wanted, given, reason) => `${wanted} ← ${given}: ${reason}`,
  reasons: {
    monthLength: ({ count }) => `في هذا الشهر ${counted(count, dayForms)}`,
    min: ({ first }) => (first ? `أول ما يمكن اختياره ${first}` : "لا يمكن اختيار ما قبله"),
    max: ({ last }) => (last ? `آخر ما يمكن اختياره ${last}` : "لا يمكن اختيار ما بعده"),
    noSuchTime: () => "هذا الوقت غير متاح في هذا اليوم",
    elapsed: () => "فات أوان اختيار ذلك الوقت",
    maxDays: ({ days }) => `الحد الأقصى ${counted(days, dayForms)}`,
    blocked: () => "بينهما يوم غير متاح",
    gone: () => "لم يعد متاحًا",
    minDays: ({ least }) => `الحد الأدنى ${counted(least, dayForms)}`,
    selection: () => "تغيّرت طريقة الاختيار",
  },
  did: (name, what) => `${name}: ${what}`,
  was: (name, what) => `${name} ${what}`,
  moved: (label, text) => `${label} ${text}`,
  undone: (label, text) => `عودة إلى: ${label} ${text}`,
  rangeOpened: (date) => `من ${date}؛ المس اليوم الأخير`,
  rangeClosed: (start, end, days) => `من ${start} إلى ${end}، ${counted(days, dayForms)}`,
  rangeReplaced: (name, range) => `كان ${name} قد أنهى الفترة ${range}؛ لمستك بدأت فترة جديدة`,
  rangeEndedByFirstTap: (days) => `أنهت لمستك الأولى ${days}، وبدأت التالية فترة جديدة`,
  dateChosen: (date) => date,
  rangeCleared: "تم المسح",
  rangeElapsed: (rest) => (rest ? `أزيلت الأيام الماضية؛ الاختيار الآن: ${rest}` : "أزيلت الأيام الماضية"),
  opener: (name) => `بدأ ${name} هذه الفترة.`,
  hint: { unknown: "لا تستطيع هذه الصفحة عرض هذا النوع من الاختيار.", wheels: "اسحب أو مرّر أو اكتب أو استخدم الأسهم.", touch: "مرّر أو المس صفًّا.", first: "المس اليوم الأول.", second: "والآن اليوم الأخير.", again: "المس يومًا للبدء من جديد.", single: "المس يومًا." },
  hits: (count) => `اللمسات: ${digits.format(count)}`,
  days: (count) => counted(count, dayForms),

  host: {
    daysClosed: (days) => `نفدت الأماكن: ${days}`, daysOpened: (days) => `متاح من جديد: ${days}`,
    booked: (text) => `حُجز ${text} للتو`, closed: (text, isDay) => (isDay ? `${text} مغلق` : `${text} خارج ساعات العمل`),
    rowRenamed: (from, to) => `صار اسم ${from} الآن ${to}`,
    rowRemoved: (text) => `أُزيل ${text}`, rowAdded: (text) => `أُضيف ${text}`,
    maxDays: (days) => (days === null ? "لم يعد هناك حد أقصى للمدة" : `الحد الأقصى الآن ${counted(days, dayForms)}`),
    minDays: (days) => (days === null ? "لم يعد هناك حد أدنى للمدة" : `الحد الأدنى الآن ${counted(days, dayForms)}`),
    min: (first) => (first ? `أول يوم متاح الآن ${first}` : "تغيّر أول يوم متاح"),
    max: (last) => (last ? `آخر يوم متاح الآن ${last}` : "تغيّر آخر يوم متاح"),
    hours: "تغيّرت ساعات العمل", other: "تغيّرت الخيارات",
    and: "، ", then: (what, then) => `${what}؛ ${then}`,
    stayEnds: (date) => `تنتهي إقامتك الآن في ${date}`, stayBegins: (date) => `تبدأ إقامتك الآن في ${date}`,
    stayGone: "لم تعد إقامتك ممكنة فأُلغي اختيارها", dayGone: "لم يعد يومك متاحًا فأُلغي اختياره",
    selected: (text) => `اختيارك الآن ${text}`, nothingLeft: "لم يبق ما يمكن اختياره",
    note: (where, text) => `${where}: ${text}`, noteRemoved: (where) => `${where}: أُزيلت الملاحظة`,
    notes: (count) => `الملاحظات التي تغيّرت: ${digits.format(count)}`,
  },
  tones: { low: "منخفض", high: "مرتفع", good: "جيد", bad: "سيئ" },

  confirming: "طلب التأكيد", confirmed: "تم التأكيد", cancelled: "تم الإلغاء", reopened: "مفتوح من جديد",
  confirmedNow: "تم التأكيد.", cancelledNow: "تم الإلغاء.",
  confirmingNow: (until) => `في انتظار التأكيد${until && ` حتى ${until}`}:`,
  granted: "تم تأكيد اختيارك.",
  denied: (detail) => (detail ? `لم يتم التأكيد: ${detail}` : "لم يتم تأكيد اختيارك. اختر من جديد."),
  undecided: "لم يرد المضيف في الوقت المحدد. يمكنك التأكيد مرة أخرى.",
  viewer: "للعرض فقط: لا يمكنك إجراء تغييرات.",
  joined: "انضم", left: "غادر", gone: "غائب", back: "عاد", promoted: "أصبح المالك",
  roleNow: { viewer: "يمكنه الآن المشاهدة فقط", editor: "يمكنه الآن إجراء تغييرات" },
  here: (count) => `الحاضرون: ${digits.format(count)}`,
  lost: "انقطع اتصالك طويلًا، فلا يُعرف إن كان هذا التغيير قد تم. تحقق وأعده إن لزم.",
  tap: "لمس",
  action: (name, what) => `${name}: ${what}`,
  late: (what, who, now) => `لم يُنفَّذ «${what}»: حدث تغيير منذ ذلك الحين${who ? ` من ${who}` : ""}. الآن: ${now}`,
  clockOrHost: "مرور الوقت أو المضيف", theHost: "المضيف", nothing: "لم يُختر شيء",

  refusals: {
    noSuchColumn: "لم يعد هذا العمود موجودًا.",
    staleColumn: "لم يعد هذا الصف موجودًا: تغيّر عمود سابق.",
    noSuchRow: "لم يعد هذا الصف موجودًا.",
    outsideMonths: "هذا الشهر ليس في هذا التقويم.",
    beforeMin: "هذا اليوم مبكر جدًا.", afterMax: "هذا اليوم متأخر جدًا.", blocked: "هذا اليوم غير متاح.",
    tapClaimed: "بدأ شخص آخر هذه الفترة. حاول بعد بضع ثوانٍ.",
    minDays: "الفترة قصيرة جدًا؛ المس يومًا أبعد.",
    noArrival: "لا يمكن الوصول في هذا اليوم.", noDeparture: "لا تمكن المغادرة في هذا اليوم.",
    maxNights: "الإقامة طويلة جدًا.", minNights: "الإقامة قصيرة جدًا؛ المس يومًا أبعد.",
    nothingToUndo: "لا شيء للتراجع عنه.",
    nothingToRedo: "لا شيء لإعادته.",
    notComplete: "لا يوجد بعد ما يمكن تأكيده.",
    elapsed: "تغيّر الاختيار بمرور الوقت. راجعه ثم أكد مرة أخرى.",
    notOpen: "هذا المنتقي مغلق. يمكن لمالكه إعادة فتحه.",
    finalNotOpen: "هذا المنتقي مغلق. لا يمكن إلا للمضيف إعادة فتحه.",
    confirming: "الاختيار قيد التأكيد. يمكن لمالكه إلغاء ذلك.",
    notAllowed: "لا تملك صلاحية فعل ذلك.",
    nameNotAllowed: "اسمك محدد مع حق وصولك إلى هذا المنتقي، ولا يمكن تغييره هنا.",
    oldRef: "وصل ذلك متأخرًا. حاول مرة أخرى من فضلك.",
    tooMany: "تغييرات كثيرة دفعة واحدة. انتظر ثانية.",
    full: "هذه الجلسة أو الخادم ممتلئ. أعد المحاولة لاحقًا أو ابدأ جلسة جديدة.",
    offline: "لا يمكن ذلك دون اتصال.",
  },
  why: {
    beforeMin: (date) => `أول يوم يمكن اختياره ${date}`,
    afterMax: (date) => `آخر يوم يمكن اختياره ${date}`,
    weekday: (weekday) => `غير متاح: ${weekday}`,
    blocked: (from, through) => (from === through ? `${from} محجوز` : `من ${from} إلى ${through} محجوز`),
    other: "غير متاح",
  },
  stay: {
    text: (nights, span) => `${counted(nights, nightForms)}، ${span}`,
    opened: (date) => `من ${date}؛ المس يوم المغادرة`,
    hint: { first: "المس يوم الوصول.", second: "والآن يوم المغادرة." },
    cell: { start: "الوصول", end: "المغادرة", inside: "ضمن الإقامة" },
    only: { arrival: "للوصول فقط", departure: "للمغادرة فقط" },
    noArrival: (date) => `لا يمكن الوصول في ${date}`, noDeparture: (date) => `لا تمكن المغادرة في ${date}`,
    tooShort: (nights) => `أقل إقامة هنا ${counted(nights, nightForms)}؛ المس يومًا أبعد.`,
    tooLong: (nights) => `الحد الأقصى هنا ${counted(nights, nightForms)}`,
    reasons: {
      blocked: () => "بينهما ليلة غير متاحة", maxNights: () => "لا يمكن أن تكون الإقامة أطول",
      minNights: () => "لا يمكن أن تكون الإقامة أقصر", noArrival: () => "لا يمكن الوصول حينها",
      noDeparture: () => "لا تمكن المغادرة حينها", unit: () => "تغيّرت طريقة الاختيار",
    },
    most: (nights) => (nights === null ? "لم يعد هناك حد أقصى للمدة" : `الحد الأقصى الآن ${counted(nights, nightForms)}`),
    least: (nights) => (nights === null ? "لم يعد هناك حد أدنى للمدة" : `الحد الأدنى الآن ${counted(nights, nightForms)}`),
    total: (price) => `المجموع الآن ${price}`, noTotal: "لا يوجد مجموع الآن",
  },
  tooShort: (days) => `أقل فترة ${counted(days, dayForms)}؛ المس يومًا أبعد.`,
  cell: { start: "اليوم الأول", end: "اليوم الأخير", inside: "ضمن الفترة", only: "محدَّد", today: "اليوم", cheapest: "الأقل سعرًا في هذا الشهر" },
  cancelling: { ask: "إلغاء للجميع؟", yes: "نعم، إلغاء", no: "لا" },
  zone: {
    times: (zone) => `المنطقة الزمنية: ${zone}.`, today: (day, zone) => `اليوم هو ${day} (المنطقة الزمنية: ${zone}).`, there: (day) => `اليوم هناك ${day}.`, yours: (time) => `لديك ${time}`,
  },
};
