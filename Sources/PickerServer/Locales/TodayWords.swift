/// The word for "today" in each locale, in the form used within a sentence.
///
/// Foundation on Linux cannot format relative days.
/// - Source: Unicode CLDR 46, `dates/fields/day/relative[@type="0"]`, the version of the ICU 76
///   that Foundation includes (Unicode License v3).
enum TodayWords {
  /// The word for `tag` (`de`, `zh-Hant-HK`), or for the nearest locale that it inherits from.
  ///
  /// - Returns: `nil` if CLDR has no word for it.
  static func word(for tag: String) -> String? {
    var tag = Substring(tag)
    while true {
      if let word = words[String(tag)] { return word.isEmpty ? nil : word }
      guard let hyphen = tag.lastIndex(of: "-") else { return nil }
      tag = tag[..<hyphen]
    }
  }

  /// An empty word means that the locale's script differs from its language's, and CLDR has no word
  /// in that script.
  private static let words: [String: String] = [
    "af": "vandag", "agq": "nɛ", "ak": "ɛnnɛ", "am": "ዛሬ", "ar": "اليوم", "as": "আজি",
    "asa": "Iyoo", "ast": "güei", "az": "bu gün", "az-Cyrl": "", "bas": "lɛ̀n", "be": "сёння",
    "bem": "Lelo", "bez": "Neng’u ni", "bg": "днес", "bgc": "आज", "blo": "ʊrɔŋ", "bm": "bi",
    "bn": "আজ", "bo": "དེ་རིང་", "br": "hiziv", "brx": "दिनै", "bs": "danas",
    "bs-Cyrl": "данас", "ca": "avui", "ccp": "𑄃𑄬𑄌𑄴𑄥𑄳𑄠", "ce": "тахана", "ceb": "karong adlawa",
    "cgg": "Erizooba", "chr": "ᎪᎯ ᎢᎦ", "ckb": "ئەمڕۆ", "cs": "dnes", "csw": "ᐊᓄᐦᐨ",
    "cv": "паян", "cy": "heddiw", "da": "i dag", "dav": "Idime", "de": "heute", "dje": "Hõo",
    "doi": "अज्ज", "dsb": "źinsa", "dua": "wɛ́ŋgɛ̄", "dyo": "Jaat", "dz": "ད་རིས་",
    "ebu": "Ũmũnthĩ", "ee": "egbe", "el": "σήμερα", "en": "today", "es": "hoy", "et": "täna",
    "eu": "gaur", "ewo": "Aná", "fa": "امروز", "ff": "Hannde", "ff-Adlm": "𞤸𞤢𞤲𞤣𞤫",
    "fi": "tänään", "fil": "ngayong araw", "fo": "í dag", "fr": "aujourd’hui", "fur": "vuê",
    "fy": "vandaag", "ga": "inniu", "gaa": "ŋmɛnɛ", "gd": "an-diugh", "gl": "hoxe",
    "gsw": "hüt", "gu": "આજે", "guz": "Rero", "ha": "yau", "he": "היום", "hi": "आज",
    "hi-Latn": "aaj", "hr": "danas", "hsb": "dźensa", "hu": "ma", "hy": "այսօր", "ia": "hodie",
    "id": "hari ini", "ie": "hodie", "ig": "Taa", "ii": "ꀃꑍ", "is": "í dag", "it": "oggi",
    "ja": "今日", "jgo": "lɔꞋɔ", "jmc": "Inu", "jv": "dino iki", "ka": "დღეს", "kab": "Ass-a",
    "kam": "Ũmũnthĩ", "kde": "Nelo", "kea": "oji", "kgp": "uri", "khq": "Hõo", "ki": "Ũmũthĩ",
    "kk": "бүгін", "kkj": "muka", "kln": "Raini", "km": "ថ្ងៃ​នេះ", "kn": "ಇಂದು", "ko": "오늘",
    "kok": "आयज", "kok-Latn": "aiz", "ks": "اَز", "ks-Aran-IN": "اَز", "ks-Deva": "अज़",
    "ksb": "Evi eo", "ksf": "Gɛ́ɛnǝ", "ksh": "hück", "ku": "îro", "kxv": "inju",
    "kxv-Deva": "इञ्जु", "kxv-Orya": "ଇଞ୍ଜୁ", "kxv-Telu": "ఈ రోజు", "ky": "бүгүн",
    "lag": "Isikʉ", "lb": "haut", "lg": "Lwaleero", "lkt": "Lé aŋpétu kiŋ", "ln": "Lɛlɔ́",
    "lo": "ມື້ນີ້", "lrc": "أمروٙ", "lt": "šiandien", "lu": "Lelu", "luo": "kawuono",
    "luy": "Lero", "lv": "šodien", "mai": "आजुक दिन", "mas": "Táatá", "mer": "Narua",
    "mfe": "Zordi", "mg": "Anio", "mgh": "lel’lo", "mgo": "tèchɔ̀ŋ", "mi": "i tēnei rā",
    "mk": "денес", "ml": "ഇന്ന്", "mn": "өнөөдөр", "mni": "ঙসি", "mni-Mtei": "", "mr": "आज",
    "ms": "hari ini", "ms-Arab": "هاري ني", "mt": "illum", "mua": "Tǝ’nahko", "my": "ယနေ့",
    "myv": "течи", "mzn": "اَمروز", "naq": "Neetsee", "nb": "i dag", "nd": "Lamuhla",
    "ne": "आज", "nl": "vandaag", "nmg": "Dɔl", "nn": "i dag", "nnh": "lyɛ̌ʼɔɔn", "no": "i dag",
    "nqo": "ߓߌ߬", "nus": "Walɛ", "nyn": "Erizooba", "om": "har’a", "or": "ଆଜି", "os": "Абон",
    "pa": "ਅੱਜ", "pa-Arab": "", "pa-Aran-PK": "", "pcm": "Todè", "pl": "dzisiaj", "ps": "نن",
    "pt": "hoje", "qu": "kunan punchaw", "raj": "आज", "rhg": "𐴀𐴝𐴙𐴅𐴧𐴙𐴝", "rm": "oz",
    "rn": "Uyu musi", "ro": "azi", "rof": "Linu", "ru": "сегодня", "rwk": "Inu", "sa": "अद्य",
    "sah": "Бүгүн", "saq": "Duo", "sat": "ᱛᱮᱦᱮᱧ", "sat-Deva": "", "sbp": "Ineng’uni",
    "sc": "oe", "sd": "اڄ", "sd-Deva": "अॼु", "se": "odne", "seh": "Lero", "ses": "Hõo",
    "sg": "Lâsô", "shi": "ⴰⵙⵙⴰ", "shi-Latn": "assa", "si": "අද", "sk": "dnes", "sl": "danes",
    "sn": "Nhasi", "so": "Maanta", "sq": "sot", "sr": "данас", "sr-Latn": "danas",
    "su": "dinten ieu", "sv": "idag", "sw": "leo", "syr": "ܐܕܝܘܡ", "ta": "இன்று",
    "te": "ఈ రోజు", "teo": "Lolo", "tg": "имрӯз", "th": "วันนี้", "ti": "ሎሚ", "tk": "şu gün",
    "to": "ʻahó ni", "tr": "bugün", "trv": "Jiyax sayang", "tt": "бүген", "twq": "Hõo",
    "tzm": "Assa", "ug": "بۈگۈن", "uk": "сьогодні", "ur": "آج", "ur-Aran-IN": "آج",
    "ur-Aran-PK": "آج", "uz": "bugun", "uz-Arab": "", "uz-Cyrl": "бугун", "vai": "ꗦꗷ",
    "vai-Latn": "wɛlɛ", "vec": "uncó", "vi": "Hôm nay", "vun": "Inu", "wae": "Hitte",
    "wo": "tay", "xh": "namhlanje", "xnr": "अज्ज", "xog": "Olwaleelo (leelo)", "yav": "ínaan",
    "yi": "היינט", "yo": "Òní", "yrl": "wií", "yue": "今日", "zgh": "ⴰⵙⵙⴰ", "zh": "今天",
    "zh-Hant-HK": "今日", "zh-Hant-MO": "今日", "zu": "namhlanje",
  ]
}
