// The texts of the demo page in Arabic.

const digits = new Intl.NumberFormat("ar", { useGrouping: false });

/** @type {import("./types").DemoWords} */
export const ar = {
  untitled: "منتقٍ مشترك", qrText: "امسحه بكاميرا الهاتف للانضمام.",
  qrLocal: (port) => `لا يمكن الوصول إلى هذا العنوان إلا من هذا الحاسوب. لكي تنضم الهواتف شغّل pickerd بالأمر: make run LISTEN=0.0.0.0:${port}`,
  back: "كل المنتقيات", settings: "الإعدادات", languageLabel: "اللغة", theme: "المظهر",
  themes: { system: "مثل النظام", light: "فاتح", dark: "داكن" },
  name: "اسمك", guest: (number) => `ضيف ${digits.format(number)}`, skip: "انتقل إلى المنتقي",
  pickers: {
    date: "تاريخ أقصاه اليوم", slot: "موعد حجز", linked: "أعمدة مترابطة", month: "شبكة شهر",
    range: "فترة بلمستين", table: "احجز طاولة", stay: "إقامة بأسعارها", ask: "حجز ينتظر التأكيد",
    weekend: "اختيار عطلة أسبوع", hour: "اختيار ساعة", evening: "ستة أماكن في أمسية",
  },
  columnLabels: { cascade: "الإقليم,المدينة,الحي", columns: "النظام,الإطار,قاعدة البيانات" },
  yours: "منتقيك", invited: "أنت مدعو إلى", invites: (name) => `دعوة من ${name} إلى`,
  message: (name, title) => `دعوة من ${name} إلى «${title}»`,
  askName: "ما اسمك؟", nameText: "يراه الآخرون، ويمكنك تغييره في أي وقت.", saveName: "حفظ",
  decides: {
    you: "أنت تؤكد في النهاية.", owner: (name) => `${name} يؤكد في النهاية.`,
    somebody: "من دعاك يؤكد في النهاية.", host: "المضيف يؤكد في النهاية.",
  },
  confirmedBy: (name) => `أكّده: ${name}`, cancelledBy: (name) => `ألغاه: ${name}`, you: "أنت", done: "تم",
  developers: "للمطورين", forgetPicker: "أزل هذا المنتقي من هذا الجهاز",
  nothingHere: "لا توجد صفحة في هذا العنوان.", nothingHereText: "ربما كُتب العنوان خطأً أو غير كامل.",
  addToCalendar: "أضف إلى التقويم", calendarFile: "ملف تقويم (\u2068.ics\u2069)",
  share: "ادعُ آخرين", shareText: "كل من يفتح هذا الرابط يختار معك.", copy: "انسخ الرابط", copied: "تم النسخ.",
  copyFailed: "لم يسمح المتصفح بالنسخ. حدد الرابط وانسخه بنفسك.",
  roleEditor: "يمكنه التعديل", roleViewer: "يمكنه المشاهدة",
  secondWindow: "افتح في نافذة ثانية",
  ended: "انتهى هذا المنتقي.", endedText: "حذفه مالكه، أو انتهت صلاحيته، أو بلغ حجمه الأقصى. لم يعد الرابط يعمل.",
  newOne: "افتح واحدًا جديدًا مثله", notFound: "لا يوجد منتقٍ في هذا الرابط.", notFoundText: "ربما يكون الرابط غير مكتمل. إن كان يعمل من قبل، فقد حُذف المنتقي أو انتهت صلاحيته.",
  noAccess: "لا يتيح هذا الرابط الوصول.", noAccessText: "الرمز مفقود أو انتهت صلاحيته. اطلب من المرسل رابطًا جديدًا والصقه هنا.",
  pasteLink: "الرابط", enter: "ادخل", notALink: "هذا ليس رابطًا أو رمزًا يتيح الوصول.",
  elsewhere: "هذا المنتقي مفتوح لديك في نافذة أخرى.", elsewhereText: "يستخدم كل شخص نافذة واحدة فقط. إذا تابعت هنا انقطع اتصال الأخرى.", useHere: "استخدمه هنا",
  away: "هذه الصفحة لا تطابق إصدار الخادم.", awayText: "أعد تحميل الصفحة للحصول على الإصدار المطابق.", reload: "أعد التحميل",
  createFailed: (detail) => `لم ينشئ الخادم المنتقي: ${detail}`, unreachable: "لا يمكن الوصول إلى الخادم. تحقق من الاتصال وحاول مرة أخرى.", retry: "حاول مرة أخرى",
};
