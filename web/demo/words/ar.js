// What the demo page says, in Arabic.

const digits = new Intl.NumberFormat("ar", { useGrouping: false });

/** @type {import("./types").DemoWords} */
export const ar = {
  language: "العربية",
  headline: "منتقيات يديرها الناس معًا",
  lead: "تعيش العجلة أو التقويم على الخادم، وكل نافذة تفتح رابطها ترى الصفوف نفسها والأيام نفسها والتصحيحات نفسها. افتح واحدًا ثم أرسل رابطه إلى أحد.",
  untitled: "منتقٍ مشترك", start: "خطّطوا الأيام معًا", five: "خمسة منتقيات، خمسة روابط", qrText: "وجّه كاميرا الهاتف إليه لينضمّ.",
  qrLocal: (port) => `هذا العنوان معروف لهذا الحاسوب وحده؛ ليصل الهاتف شغّله بالأمر: make run LISTEN=0.0.0.0:${port}`,
  open: "افتح", openLinked: "افتح مترابطًا", openColumns: "أعمدة مستقلة",
  back: "كل المنتقيات", settings: "الإعدادات", languageLabel: "اللغة", theme: "الألوان",
  themes: { system: "كالنظام", light: "فاتح", dark: "داكن" },
  name: "اسمك", guest: (number) => `ضيف ${digits.format(number)}`, skip: "انتقل إلى المنتقي",
  pickers: {
    date: { title: "تاريخ أقصاه اليوم", text: "سنة وشهر ويوم؛ ما بعد اليوم ليس باهتًا، بل غير موجود." },
    slot: { title: "موعد حجز", text: "يوم وساعة ودقيقة: بعد عشرين دقيقة على الأقل، بخطوات من عشر، ويمضي مع الوقت." },
    linked: { title: "أعمدة مترابطة", text: "إقليم ثم مدينة ثم حي: كل عمود يتبع ما قبله." },
    month: { title: "شبكة شهر", text: "ستة أسابيع كاملة حول شهر، ويوم واحد للاختيار." },
    range: { title: "فترة بلمستين", text: "اليوم الأول ثم الأخير عبر الشهور؛ ويمكن لشخصين أن يلمس كل منهما مرة." },
  },
  columnLabels: { cascade: "الإقليم,المدينة,الحي", columns: "النظام,الإطار,قاعدة البيانات" },
  share: "مشاركة", shareText: "من يفتح هذا الرابط يدير المنتقي نفسه.", copy: "انسخ الرابط", copied: "تم النسخ.", send: "أرسل…",
  copyFailed: "لم يسمح المتصفح بالنسخ. حدد الرابط وانسخه بنفسك.",
  roleEditor: "يمكنه التغيير", roleViewer: "يمكنه المشاهدة",
  secondWindow: "افتح في نافذة ثانية",
  definition: "التعريف", definitionText: "من هذا صُنع المنتقي. غيّره وافتحه كمنتقٍ جديد.",
  checking: "جارٍ التحقق…", fine: "يستطيع الخادم صنع هذا المنتقي.", openThis: "افتح هذا", reset: "كما كان",
  mistakeAt: (pointer, detail) => `${pointer || "الكل"}: ${detail}`,
  noJSON: (detail) => `هذا ليس JSON: ${detail}`, line: (line) => `السطر ${digits.format(line)}`,
  messages: "الرسائل", messagesText: "ما تقوله هذه النافذة والخادم أحدهما للآخر، كما هو.",
  pause: "إيقاف", resume: "متابعة", empty: "لا شيء بعد.",
  connection: { live: "متصل", connecting: "جارٍ الاتصال", joining: "جارٍ الانضمام", waiting: "إعادة الاتصال", offline: "غير متصل", away: "انتهى", credentials: "لا دخول", idle: "غير متصل", left: "غادرت" },
  latency: (milliseconds) => `${digits.format(milliseconds)} مللي ثانية`, latencyTitle: "من لمستك الأخيرة إلى جواب الخادم",
  revision: (revision) => `المراجعة ${digits.format(revision)}`,
  ended: "انتهى هذا المنتقي.", endedText: "أغلقه مالكه أو لم يستخدمه أحد ليوم كامل. لم يعد الرابط يؤدي إلى شيء.",
  newOne: "افتح واحدًا جديدًا", notFound: "لا يوجد منتقٍ في هذا الرابط.",
  noAccess: "لا يسمح هذا الرابط بالدخول.", noAccessText: "ينقصه رمز أو انتهى رمزه. اطلب رابطًا جديدًا والصقه هنا.",
  pasteLink: "الرابط", enter: "ادخل",
  elsewhere: "هذا المنتقي مفتوح لديك في نافذة أخرى.", elsewhereText: "الشخص هنا نافذة واحدة. يمكنك المتابعة هنا فتتوقف الأخرى.", useHere: "استخدمه هنا",
  away: "هذه الصفحة والخادم لا يفهم أحدهما الآخر.", awayText: "أعد تحميل الصفحة.", reload: "أعد التحميل",
  createFailed: (detail) => `لم يصنع الخادم المنتقي: ${detail}`, unreachable: "لا يمكن الوصول إلى الخادم. هل يعمل؟", retry: "حاول مرة أخرى",
};
