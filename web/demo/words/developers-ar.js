// The texts of the panels for developers in Arabic.

const digits = new Intl.NumberFormat("ar", { useGrouping: false });

/** @type {import("./types").DeveloperWords} */
export const ar = {
  host: {
    heading: "المضيف", text: "قم بدور خادم المضيف: غيّر ما يمكن اختياره بينما يختار الناس، وستُحدَّث منتقيات الجميع فورًا.",
    command: "أمر لسطر الأوامر", copy: "نسخ", selected: "حُدّد النص: انسخه",
    days: "انقر الأيام المراد تغييرها", soldOut: "نفدت الأماكن", price: "السعر",
    noteText: "ملاحظة", tone: "الدلالة", tones: { none: "بلا دلالة", low: "منخفض", high: "مرتفع", good: "جيد", bad: "سيئ" },
    longest: "أطول إقامة", daysLabel: "الأيام", nightsLabel: "الليالي", latest: "آخر تاريخ", dateLabel: "التاريخ", set: "تعيين",
    take: "شخص آخر يحجز الوقت المختار", takeTime: (time) => `احجز ${time}`,
    free: "يُلغى آخر حجز", freeTime: (time) => `أتح ${time} من جديد`,
    lunch: "استراحة الغداء", closeLunch: (day) => `أغلق في ${day} من 12 إلى 14`, openLunch: (day) => `افتح في ${day} كالمعتاد`,
    column: "العمود", rename: "أعد تسمية الصف المختار", newName: "الاسم الجديد", renameButton: "إعادة التسمية",
    remove: "أزل الصف المختار", removeRow: (text) => `أزل ${text}`, note: "ملاحظة بجانب الصف المختار",
    asked: "اقبل الحجز", grant: "قبول", denied: "ارفض الحجز مع السبب", deny: "رفض", reason: "السبب",
    failed: (detail) => `لم يغيّر الخادم شيئًا: ${detail}`,
  },
  definition: "التعريف", definitionText: "نص JSON الحالي لهذا المنتقي. عدّله وافتح النتيجة كمنتقٍ جديد.",
  checking: "جارٍ التحقق…", fine: "هذا التعريف صالح.", openThis: "افتحه كمنتقٍ جديد", reset: "إعادة الضبط",
  mistakeAt: (pointer, detail) => `${pointer || "التعريف"}: ${detail}`,
  noJSON: (detail) => `JSON غير صالح: ${detail}`, line: (line) => `السطر ${digits.format(line)}`,
  messages: "الرسائل", messagesText: "الرسائل المتبادلة بين هذه النافذة والخادم كما أُرسلت.",
  pause: "إيقاف", resume: "متابعة", empty: "لا شيء بعد.",
  latency: (milliseconds) => `${digits.format(milliseconds)} مللي ثانية`, latencyTitle: "من لمستك الأخيرة إلى جواب الخادم",
  revision: (revision) => `المراجعة ${digits.format(revision)}`,
};
