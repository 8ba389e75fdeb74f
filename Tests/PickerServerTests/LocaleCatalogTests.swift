import CivilTime
import Foundation
import PickerModel
import Testing

@testable import PickerServer

@Suite struct LocaleCatalogTests {
  private let locales = LocaleCatalog()
  private let friday = CivilDate(year: 2018, month: 11, day: 23)!

  /// A locale's texts for the year 2018, July, the 25th, Friday, November 23 as a slot's day, the
  /// same day as today, hour 9, minute 5 and the cell of the 25th.
  struct Row: Sendable, CustomTestStringConvertible {
    let tag: String
    let resolved: String
    let texts: [String]

    init(_ tag: String, _ resolved: String, _ texts: String...) {
      self.tag = tag
      self.resolved = resolved
      self.texts = texts
    }

    var testDescription: String { tag }
  }

  static let rows = [
    Row("ja", "ja", "2018年", "7月", "25日", "11月23日(金)", "11月23日(今日)", "9時", "05", "25"),
    Row("ko", "ko", "2018년", "7월", "25일", "11월 23일 (금)", "11월 23일 (오늘)", "9시", "05", "25"),
    Row(
      "zh-Hant", "zh-Hant", "2018年", "7月", "25日", "11月23日 週五", "11月23日 今天", "9時", "05", "25"),
    Row("zh-HK", "zh-Hant-HK", "2018年", "7月", "25日", "11月23日 週五", "11月23日 今日", "9時", "05", "25"),
    Row("en-GB", "en-GB", "2018", "July", "25", "Fri 23 Nov", "Today 23 Nov", "09", "05", "25"),
    Row("de", "de", "2018", "Juli", "25", "Fr., 23. Nov.", "Heute, 23. Nov.", "09 Uhr", "05", "25"),
    Row(
      "fr", "fr", "2018", "juillet", "25", "ven. 23 nov.", "aujourd’hui 23 nov.", "09 h", "05", "25"
    ),
    Row(
      "ar", "ar", "2018", "يوليو", "25", "الجمعة، 23 نوفمبر", "اليوم، 23 نوفمبر", "09", "05", "25"),
    Row(
      "ar-EG", "ar-EG", "٢٠١٨", "يوليو", "٢٥", "الجمعة، ٢٣ نوفمبر", "اليوم، ٢٣ نوفمبر", "٠٩", "٠٥",
      "٢٥"),
    Row(
      "fa", "fa", "۲۰۱۸", "ژوئیه", "۲۵", "جمعه ۲۳ نوامبر", "امروز ۲۳ نوامبر", "۹", "۰۵", "۲۵"),
    Row("he", "he", "2018", "יולי", "25", "יום ו׳, 23 בנוב׳", "היום, 23 בנוב׳", "9", "05", "25"),
    Row("hi", "hi", "2018", "जुलाई", "25", "शुक्र, 23 नव॰", "आज, 23 नव॰", "09", "05", "25"),
    Row("th", "th", "2018", "กรกฎาคม", "25", "ศ. 23 พ.ย.", "วันนี้ 23 พ.ย.", "09", "05", "25"),
    Row("ru", "ru", "2018", "июль", "25", "пт, 23 нояб.", "сегодня, 23 нояб.", "09", "05", "25"),
    Row(
      "lv", "lv", "2018. g.", "jūlijs", "25", "piektd., 23. nov.", "šodien, 23. nov.", "09", "05",
      "25"),
  ]

  private func sampled(_ texts: any RowTexts) -> [String] {
    [
      texts.year(2018), texts.month(7), texts.day(25), texts.slotDay(friday, isToday: false),
      texts.slotDay(friday, isToday: true), texts.hour(9), texts.minute(5), texts.cell(25),
    ]
  }

  @Test(arguments: rows)
  func `each locale has its texts`(row: Row) throws {
    let texts = try #require(locales.texts(for: row.tag))

    #expect(texts.tag == row.resolved)
    #expect(sampled(texts) == row.texts)
  }

  @Test(arguments: [
    "en", "en-US", "EN-us", "en-Latn-US", "en-US-u-hc-h12", "en-AQ", "en-x-ana",
  ])
  func `English texts are those of the contract`(tag: String) {
    #expect(locales.texts(for: tag) is EnglishTexts)
  }

  @Test(arguments: [
    "zh", "zh-CN", "zh-Hans", "zh-hans-cn", "zh-SG", "zh-Hans-HK", "zh-cmn-Hans-CN", "zh-MY",
  ])
  func `simplified Chinese texts are those of the contract`(tag: String) {
    #expect(locales.texts(for: tag) is SimplifiedChineseTexts)
  }

  @Test(
    arguments: [
      ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant-HK"), ("ja-JP", "ja"), ("JA-jpan-jp", "ja"),
      ("de-XX", "de"), ("de-Latn-DE-1996-u-co-phonebk", "de"), ("iw", "he"), ("in", "id"),
      ("sr-Latn-XX", "sr-Latn"), ("sr-ME", "sr-Latn-ME"), ("pt-BR", "pt"), ("xx-YY", nil),
      ("tlh", nil),
    ] as [(String, String?)])
  func `an unknown tag falls back to its script, its language, or nothing`(
    tag: String, resolved: String?
  ) {
    #expect(locales.texts(for: tag)?.tag == resolved)
  }

  @Test(arguments: [
    "", "-", "_", "en_US", "x-private", "root", "../../etc/passwd", "en\u{0}", "C", "posix", "und",
    "de-", "\u{202e}ed", "de-AT\n",
  ])
  func `a malformed tag has no texts`(tag: String) {
    #expect(locales.texts(for: tag) == nil)
  }

  @Test func `tags of 10 KB have no texts and are not cached`() {
    for seed in 0..<200 {
      #expect(
        locales.texts(for: "de-x-\(seed)" + String(repeating: "-abcdefg", count: 1_250)) == nil)
      #expect(locales.texts(for: String(repeating: "d", count: 10_000 + seed)) == nil)
    }
  }

  @Test func `years have no leading zeros and no group separators`() throws {
    #expect(locales.texts(for: "de")?.year(1) == "1")
    #expect(locales.texts(for: "de")?.year(987) == "987")
    #expect(locales.texts(for: "de")?.year(9999) == "9999")
    #expect(locales.texts(for: "ar-EG")?.year(45) == "٤٥")
    #expect(locales.texts(for: "th")?.year(2018) == "2018", "Gregorian, not Buddhist")
  }

  @Test(arguments: [
    ("en", "May 2026", "Sun", "Sat"), ("de", "Mai 2026", "So", "Sa"),
    ("zh-Hans", "2026年5月", "周日", "周六"), ("ja", "2026年5月", "日", "土"),
    ("ar", "مايو 2026", "أحد", "سبت"), ("ar-EG", "مايو ٢٠٢٦", "أحد", "سبت"),
    ("ru", "май 2026 г.", "вс", "сб"), ("cs", "květen 2026", "ne", "so"),
    ("fa", "مهٔ ۲۰۲۶", "ی", "ش"),
  ])
  func `titles of months and weekdays use stand-alone forms`(
    tag: String, title: String, sunday: String, saturday: String
  ) throws {
    let texts = try #require(locales.texts(for: tag))

    #expect(texts.monthTitle(CivilMonth(year: 2026, month: 5)!) == title)
    #expect([texts.weekday(1), texts.weekday(7)] == [sunday, saturday])
  }

  @Test(
    arguments: [
      ("fa", "fa", "۲۰۲۶", "۵"), ("fa-IR-u-nu-latn", "fa-u-nu-latn", "2026", "5"),
      ("ar-EG-u-ca-gregory-nu-latn", "ar-EG-u-nu-latn", "2026", "5"),
      ("hi-u-nu-deva", "hi-u-nu-deva", "२०२६", "५"), ("ar-u-nu-latn", "ar", "2026", "5"),
      ("fa-u-nu-roman", "fa", "۲۰۲۶", "۵"), ("fa-x-u-nu-latn", "fa", "۲۰۲۶", "۵"),
    ])
  func `the digits are those that a tag asks for`(
    tag: String, resolved: String, year: String, cell: String
  ) throws {
    let texts = try #require(locales.texts(for: tag))

    #expect(texts.tag == resolved)
    #expect([texts.year(2026), texts.cell(5)] == [year, cell])
  }

  @Test func `at most 200 locales have other digits than their own`() throws {
    let languages = Set(Locale.availableIdentifiers.map { $0.replacing("_", with: "-") })
    let catalog = LocaleCatalog()
    let resolved = languages.compactMap { catalog.texts(for: "\($0)-u-nu-thai")?.tag }

    #expect(Set(resolved.filter { $0.hasSuffix("-u-nu-thai") }).count == 200)
  }

  @Test func `every locale has the texts of Foundation's formatter`() throws {
    var tags: Set<String> = []
    var differing: Set<String> = []
    for identifier in Locale.availableIdentifiers {
      let tag = identifier.replacing("_", with: "-")
      guard let texts = locales.texts(for: tag) as? FoundationTexts else { continue }
      tags.insert(texts.tag)
      let checked: [(template: String, text: (CivilDate) -> String)] = [
        ("MMMEd", { texts.slotDay($0, isToday: false) }), ("y", { texts.year($0.year) }),
        ("LLLL", { texts.month($0.month) }), ("d", { texts.day($0.day) }),
        ("yMMMM", { texts.monthTitle($0.civilMonth) }),
      ]
      for (template, text) in checked {
        // Their days have the forms of CLDR.
        if template == "MMMEd", ["de", "ar", "ru"].contains(tag.prefix { $0 != "-" }) { continue }
        let formatter = Self.formatter(identifier, template)
        for date in Self.dates {
          let wanted = formatter.string(from: Self.instant(of: date))
          if text(date) != wanted.replacing("\u{202f}", with: " ") {
            differing.insert("\(tag) \(template)")
          }
        }
      }
    }

    #expect(tags.count > 200)
    #expect(differing == [])
  }

  /// Every 13th day of a year: all months and weekdays, and most days of a month.
  private static let dates = stride(from: 0, to: 365, by: 13).map { day in
    CivilDate(year: 2023, month: 1, day: 1)!.adding(days: day)!
  }

  private static func formatter(_ identifier: String, _ template: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: identifier + "@calendar=gregorian")
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.setLocalizedDateFormatFromTemplate(template)
    return formatter
  }

  private static func instant(of date: CivilDate) -> Date {
    let days = date.ordinal - CivilDate(year: 1970, month: 1, day: 1)!.ordinal
    return Date(timeIntervalSince1970: TimeInterval(days * 86_400))
  }

  @Test func `a locale without a word for today shows the weekday`() throws {
    let texts = try #require(locales.texts(for: "az-Cyrl"))

    #expect(TodayWords.word(for: "az-Cyrl-AZ") == nil)
    #expect(texts.slotDay(friday, isToday: true) == texts.slotDay(friday, isToday: false))
  }
}
