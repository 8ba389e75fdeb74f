import Testing

@testable import PickerServer

@Suite struct LocaleTagTests {
  @Test(
    arguments: [
      ("de", "de", nil, nil), ("DE-at", "de", nil, "AT"), ("zh-hans-cn", "zh", "Hans", "CN"),
      ("es-419", "es", nil, "419"), ("sl-rozaj-biske-1994", "sl", nil, nil),
      ("zh-yue-HK", "zh", nil, "HK"),
      ("de-DE-u-co-phonebk", "de", nil, "DE"), ("en-a-bbb-x-a-ccc", "en", nil, nil),
      ("de-CH-1901", "de", nil, "CH"), ("sr-Latn-RS-x-1", "sr", "Latn", "RS"),
      ("ast", "ast", nil, nil),
      ("ar-EG-u-nu-latn-t-en", "ar", nil, "EG"),
    ] as [(String, String, String?, String?)])
  func `a well-formed tag is parsed`(
    text: String, language: String, script: String?, region: String?
  ) {
    let tag = LocaleTag(text)

    #expect(tag?.language == language)
    #expect(tag?.script == script)
    #expect(tag?.region == region)
  }

  @Test(
    arguments: [
      ("ar-EG-u-nu-latn-t-en", "latn"), ("fa-u-ca-gregory-nu-LATN", "latn"), ("fa", nil),
      ("fa-u-nu", nil), ("fa-u-nu-co-phonebk", nil), ("fa-t-en-nu-latn", nil),
      ("fa-x-u-nu-latn", nil),
    ] as [(String, String?)])
  func `the numbering system of a tag is that of its extension`(text: String, numbers: String?) {
    #expect(LocaleTag(text)?.numbers == numbers)
  }

  @Test(arguments: [
    "", "-", "d", "de-", "-de", "de--AT", "de_AT", "x-private", "i-klingon", "de-x", "de-u",
    "de-u-x",
    "de-a-bb-a-cc", "abcdefghi", "de-abcdefghi", "123", "d1", "de-AT-AT", "de\u{0}", "dé",
    "ｄｅ", "de AT", "../../etc/passwd", "de\n", "zh-yue-yue-yue-yue-HK-Hans", "root\u{202e}",
  ])
  func `a malformed tag is refused`(text: String) {
    #expect(LocaleTag(text) == nil)
  }

  @Test func `a tag of 64 characters is accepted, one of 65 and one of 10 KB are refused`() {
    let long = "de-u" + String(repeating: "-abcdefgh", count: 6) + "-abcde"
    #expect(long.utf8.count == LocaleTag.characterCountMax)
    #expect(LocaleTag(long) != nil)
    #expect(LocaleTag(long + "f") == nil)
    #expect(LocaleTag("de-x" + String(repeating: "-a", count: 5_000)) == nil)
    #expect(LocaleTag(String(repeating: "-", count: 10_000)) == nil)
  }
}
