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
  you: "أنت", somebody: "شخص ما",
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
  queued: (count) => `أنت غير متصل. تغييرات تنتظر: ${digits.format(count)}.`,

  reasons: {
    monthLength: ({ month, count }) => `في ${month} ${counted(count, dayForms)}`,
    min: ({ first }) => (first ? `أول ما يمكن اختياره ${first}` : "لا يمكن اختيار ما قبله"),
    max: ({ last }) => (last ? `آخر ما يمكن اختياره ${last}` : "لا يمكن اختيار ما بعده"),
    noSuchTime: ({ what }) => `${what} غير متاح`,
    elapsed: () => "فات أوان اختيار ذلك الوقت",
    maxDays: ({ days }) => `الحد الأقصى ${counted(days, dayForms)}`,
    blocked: ({ next }) => `${next} محجوز`,
    gone: () => "لم يعد متاحًا",
    minDays: ({ least }) => `الحد الأدنى ${counted(least, dayForms)}`,
    selection: () => "تغيّرت طريقة الاختيار",
    soldOut: ({ next, what }) => `نفدت الأماكن: ${next ?? what}`, held: ({ next, what }) => `${next ?? what} محجوز مؤقتًا لشخص آخر`,
  },
  was: (name, what) => `${name} ${what}`,
  picked: (what) => `اختار ${what}`,
  set: (label, text) => `غيّر ${label} إلى ${text}`,
  undone: (text) => `عاد إلى ${text}`,
  starts: (date) => `يبدأ في ${date}`, ends: (date) => `ينتهي في ${date}`,
  rangeReplaced: (name, range) => `سبقك ${name} باختيار ${range}. لقد بدأت من جديد.`,
  rangeEndedByFirstTap: (days) => `اخترت ${days} ثم بدأت من جديد.`,
  cleared: "مسح الاختيار",
  rangeElapsed: (rest) => (rest ? `انقضت أيام، والاختيار الآن ${rest}` : "انقضت هذه الأيام"),
  hint: { unknown: "لا تستطيع هذه الصفحة عرض هذا النوع من الاختيار.", wheels: "اسحب أو مرّر أو اكتب أو استخدم الأسهم.", touch: "مرّر أو المس صفًّا.", first: "اختر اليوم الأول.", second: "والآن اليوم الأخير.", single: "اختر يومًا." },
  hits: (count) => `اللمسات: ${digits.format(count)}`,
  days: (count) => counted(count, dayForms),

  host: {
    daysClosed: (days) => `نفدت الأماكن: ${days}`, daysOpened: (days) => `متاح من جديد: ${days}`,
    soldOut: (text) => `حجز شخص آخر ${text} للتو`, held: (text) => `${text} محجوز الآن مؤقتًا لشخص آخر`,
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

  confirming: "طلب التأكيد", confirmed: "أكّد الاختيار", cancelled: "ألغى هذا", reopened: "أعاد الفتح",
  askedNow: "طُلب التأكيد.", confirmedNow: "تم التأكيد.", cancelledNow: "تم الإلغاء.", reopenedNow: "مفتوح من جديد.",
  confirmingNow: (what, until) => `طُلب ${what}${until && `. الرد حتى ${until}`}`,
  granted: "أكّد المضيف ذلك.",
  denied: (detail) => (detail ? `رفض المضيف: ${detail}` : "رفض المضيف. اختر غيره."),
  undecided: "لم يرد المضيف في الوقت المحدد. يمكنك أن تطلب مرة أخرى.",
  viewer: "للعرض فقط: لا يمكنك إجراء تغييرات.",
  joined: "انضم", left: "غادر", gone: "غائب", back: "عاد", promoted: "أصبح المالك",
  roleNow: { viewer: "يمكنه الآن المشاهدة فقط", editor: "يمكنه الآن إجراء تغييرات" },
  here: (count) => `الحاضرون: ${digits.format(count)}`,
  lost: "طال غيابك، فلا نعلم إن كان هذا قد تم. تحقق منه.",
  action: (name, what) => `${name}: ${what}`, use: (what) => `${what} بدلًا منه`,
  late: (what) => `في هذه الأثناء ${what}.`,
  theHost: "المضيف", nothing: "لم يُختر شيء",

  refusals: {
    noSuchColumn: "لم يعد هذا العمود موجودًا.",
    noSuchRow: "لم يعد ذلك موجودًا.",
    outsideMonths: "هذا الشهر ليس في هذا التقويم.",
    beforeMin: "هذا اليوم مبكر جدًا.", afterMax: "هذا اليوم متأخر جدًا.", blocked: "هذا اليوم غير متاح.",
    tapClaimed: "بدأ شخص آخر هذه الفترة. حاول بعد بضع ثوانٍ.",
    minDays: "هذا قصير جدًا. اختر يومًا أبعد.",
    noArrival: "لا يمكن الوصول في هذا اليوم.", noDeparture: "لا تمكن المغادرة في هذا اليوم.",
    maxNights: "الإقامة طويلة جدًا.", minNights: "الإقامة قصيرة جدًا. اختر يومًا أبعد.",
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
    soldOut: "نفدت الأماكن.", held: "هذا محجوز مؤقتًا لشخص آخر. قد يتاح من جديد.",
    waiting: "الأولوية في هذا لمن في قائمة الانتظار.", free: "هذا متاح الآن: احجزه مؤقتًا أو أكّده.",
    tooManyHolds: "لديك أقصى ما يُسمح به لشخص واحد من حجز أو انتظار. تخلَّ عن شيء أولًا.",
    holdLimit: "لا يمكن تمديد الحجز المؤقت أكثر. أكّده أو تخلَّ عنه.", wrongUnits: "هذا العدد غير ممكن.",
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
    hint: { first: "اختر يوم الوصول.", second: "والآن يوم المغادرة." },
    cell: { start: "الوصول", end: "المغادرة", inside: "ضمن الإقامة" },
    only: { arrival: "للوصول فقط", departure: "للمغادرة فقط" },
    noArrival: (date) => `لا يمكن الوصول في ${date}`, noDeparture: (date) => `لا تمكن المغادرة في ${date}`,
    tooShort: (nights) => `أقل إقامة هنا ${counted(nights, nightForms)}. اختر يومًا أبعد.`,
    tooLong: (nights) => `الحد الأقصى هنا ${counted(nights, nightForms)}`,
    reasons: {
      blocked: () => "بينهما ليلة محجوزة", maxNights: () => "لا يمكن أن تكون الإقامة أطول",
      minNights: () => "لا يمكن أن تكون الإقامة أقصر", noArrival: () => "لا يمكن الوصول حينها",
      noDeparture: () => "لا تمكن المغادرة حينها", unit: () => "تغيّرت طريقة الاختيار",
    },
    most: (nights) => (nights === null ? "لم يعد هناك حد أقصى للمدة" : `الحد الأقصى الآن ${counted(nights, nightForms)}`),
    least: (nights) => (nights === null ? "لم يعد هناك حد أدنى للمدة" : `الحد الأدنى الآن ${counted(nights, nightForms)}`),
    total: (price) => `المجموع الآن ${price}`, noTotal: "لا يوجد مجموع الآن",
  },
  tooShort: (days) => `أقل ما يُختار ${counted(days, dayForms)}. اختر يومًا أبعد.`,
  cell: { start: "اليوم الأول", end: "اليوم الأخير", inside: "ضمن الفترة", only: "محدَّد", today: "اليوم", cheapest: "الأقل سعرًا في هذا الشهر" },
  asks: { cancel: ["إلغاء للجميع؟", "نعم، إلغاء"], reopen: ["إعادة الفتح للجميع؟", "نعم، إعادة الفتح"], no: "لا" },
  zone: {
    times: (zone) => `المنطقة الزمنية: ${zone}.`, today: (day, zone) => `اليوم هو ${day} (المنطقة الزمنية: ${zone}).`, there: (day) => `اليوم هناك ${day}.`, yours: (time) => `لديك ${time}`,
  },
};
