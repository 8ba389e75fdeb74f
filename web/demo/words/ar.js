// The texts of the demo page in Arabic.

const digits = new Intl.NumberFormat("ar", { useGrouping: false });

/** @type {import("./types").DemoWords} */
export const ar = {
  language: "العربية",
  headline: "منتقيات مشتركة ومباشرة",
  lead: "اختاروا معًا تاريخًا أو موعد حجز أو فترة. يوجد المنتقي على الخادم: كل من يفتح الرابط يرى كل تغيير فورًا، ولا يستطيع أحد اختيار ما ليس متاحًا. افتح واحدًا ثم أرسل رابطه إلى شخص ما.",
  untitled: "منتقٍ مشترك", start: "خطّطوا الأيام معًا", five: "خمسة منتقيات، خمسة روابط", qrText: "وجّه كاميرا الهاتف إليه لينضمّ.",
  qrLocal: (port) => `لا يمكن الوصول إلى هذا العنوان إلا من هذا الحاسوب. لكي تنضم الهواتف شغّل pickerd بالأمر: make run LISTEN=0.0.0.0:${port}`,
  open: "افتح", openLinked: "افتح أعمدة مترابطة", openColumns: "أعمدة مستقلة",
  back: "كل المنتقيات", settings: "الإعدادات", languageLabel: "اللغة", theme: "الألوان",
  themes: { system: "مثل النظام", light: "فاتح", dark: "داكن" },
  name: "اسمك", guest: (number) => `ضيف ${digits.format(number)}`, skip: "انتقل إلى المنتقي",
  pickers: {
    date: { title: "تاريخ أقصاه اليوم", text: "سنة وشهر ويوم. ما بعد اليوم لا يظهر باهتًا، بل ليس في القائمة." },
    slot: { title: "موعد حجز", text: "يوم وساعة ودقيقة: بعد عشرين دقيقة على الأقل، بخطوات من عشر دقائق، ويتجدد مع مرور الوقت." },
    linked: { title: "أعمدة مترابطة", text: "إقليم ثم مدينة ثم حي: كل عمود يتبع ما قبله." },
    month: { title: "شبكة شهر", text: "ستة أسابيع كاملة حول شهر، ويوم واحد للاختيار." },
    range: { title: "فترة بلمستين", text: "اليوم الأول ثم الأخير عبر الشهور؛ ويمكن لشخصين أن يلمس كل منهما مرة." },
  },
  columnLabels: { cascade: "الإقليم,المدينة,الحي", columns: "النظام,الإطار,قاعدة البيانات" },
  share: "مشاركة", shareText: "كل من يفتح هذا الرابط يستخدم المنتقي نفسه.", copy: "انسخ الرابط", copied: "تم النسخ.", send: "أرسل…",
  copyFailed: "لم يسمح المتصفح بالنسخ. حدد الرابط وانسخه بنفسك.",
  roleEditor: "يمكنه التغيير", roleViewer: "يمكنه المشاهدة",
  secondWindow: "افتح في نافذة ثانية",
  definition: "التعريف", definitionText: "نص JSON الذي أُنشئ منه هذا المنتقي. عدّله وافتح النتيجة كمنتقٍ جديد.",
  checking: "جارٍ التحقق…", fine: "هذا التعريف صالح.", openThis: "افتحه كمنتقٍ جديد", reset: "إعادة الضبط",
  mistakeAt: (pointer, detail) => `${pointer || "التعريف"}: ${detail}`,
  noJSON: (detail) => `JSON غير صالح: ${detail}`, line: (line) => `السطر ${digits.format(line)}`,
  messages: "الرسائل", messagesText: "الرسائل المتبادلة بين هذه النافذة والخادم كما أُرسلت.",
  pause: "إيقاف", resume: "متابعة", empty: "لا شيء بعد.",
  connection: { live: "متصل", connecting: "جارٍ الاتصال", joining: "جارٍ الانضمام", waiting: "إعادة الاتصال", offline: "غير متصل", away: "انتهى", credentials: "لا دخول", idle: "غير متصل", left: "غادرت" },
  latency: (milliseconds) => `${digits.format(milliseconds)} مللي ثانية`, latencyTitle: "من لمستك الأخيرة إلى جواب الخادم",
  revision: (revision) => `المراجعة ${digits.format(revision)}`,
  ended: "انتهى هذا المنتقي.", endedText: "حذفه مالكه أو لم يستخدمه أحد ليوم كامل. لم يعد الرابط يعمل.",
  newOne: "افتح واحدًا جديدًا مثله", notFound: "لا يوجد منتقٍ في هذا الرابط.",
  noAccess: "لا يتيح هذا الرابط الوصول.", noAccessText: "الرمز مفقود أو انتهت صلاحيته. اطلب من المرسل رابطًا جديدًا والصقه هنا.",
  pasteLink: "الرابط", enter: "ادخل",
  elsewhere: "هذا المنتقي مفتوح لديك في نافذة أخرى.", elsewhereText: "يستخدم كل شخص نافذة واحدة فقط. إذا تابعت هنا انقطع اتصال الأخرى.", useHere: "استخدمه هنا",
  away: "هذه الصفحة لا تطابق إصدار الخادم.", awayText: "أعد تحميل الصفحة للحصول على الإصدار المطابق.", reload: "أعد التحميل",
  createFailed: (detail) => `لم ينشئ الخادم المنتقي: ${detail}`, unreachable: "لا يمكن الوصول إلى الخادم. هل يعمل؟", retry: "حاول مرة أخرى",
};
