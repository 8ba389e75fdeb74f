import JSONText
import PickerModel
import Testing

@testable import PickerModel

@Suite struct FindTests {
  /// The folded form of a text.
  private func folded(_ text: String) -> String {
    String(decoding: TextFolding.unicode.folded(text), as: UTF8.self)
  }

  @Test(arguments: [
    ("Zürich", "zurich"), ("Zu\u{308}rich", "zurich"), ("STRASSE", "strasse"),
    ("Straße", "strasse"), ("ẞ", "ss"), ("ﬁn", "fin"), ("ⅦK\u{212A}", "viikk"),
    ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
    ("ς", "σ"), ("İstanbul", "istanbul"), ("ı", "ı"), ("Ǆ", "dz"), ("①", "1"), ("㌀", "アハート"),
    ("ガ", "カ"), ("ｶﾞ", "カ"), ("한", "\u{1112}\u{1161}\u{11AB}"), ("하", "\u{1112}\u{1161}"),
    ("ﷺ", "صلى الله عليه وسلم"), ("ᾳ", "αι"), ("Ꭰ", "Ꭰ"), ("ꭰ", "Ꭰ"), ("𝔄𝟘", "a0"), ("豈", "豈"),
    ("\u{A0}", " "), ("\u{301}\u{5B0}", ""), ("🙂", "🙂"), ("Đ", "đ"), ("ø", "ø"), ("", ""),
  ])
  func `texts are folded by NFKD, full case folding, and without accents`(
    _ text: String, _ expected: String
  ) {
    #expect(folded(text).unicodeScalars.elementsEqual(expected.unicodeScalars), "\(folded(text))")
  }

  /// The rows found in the first column, each with the part of the text that matches.
  private func find(
    _ text: String, countMax: Int = 20, in picker: Picker, texts: any RowTexts = EnglishTexts(),
    byteCount: Int = .max
  ) -> (rows: [String], hasMore: Bool) {
    let rows = picker.columns[0].rows
    var search = RowSearch(text, countMax: countMax)
    var byteCountLeft = byteCount
    while !search.advance(in: rows, texts: texts, byteCountLeft: &byteCountLeft) {
      byteCountLeft = byteCount
    }
    let found = search.found(in: rows, texts: texts).map { match in
      let text = rows.text(at: match.row, in: texts)
      guard let range = match.range else { return "\(match.row) \(text)" }
      var units = Array(text.utf16)
      units.insert(0x5D, at: range.upperBound)
      units.insert(0x5B, at: range.lowerBound)
      return "\(match.row) \(String(decoding: units, as: UTF16.self))"
    }
    return (found, search.hasMore)
  }

  private func columns(_ rows: String) throws -> Picker {
    try Picker(#"{"kind":"columns","columns":[[\#(rows)]]}"#, at: "2026-11-20T12:00:00Z")
  }

  @Test func `the order is equal, beginning, a word's beginning, inside, then that of rows`() throws
  {
    let picker = try columns(
      #""xmün","Bad Münder","Münzen","MUN","Nemun","A mun","-mun","9mun","état-munir","Munich""#)

    let expected = [
      "3 [MUN]", "2 [Mün]zen", "9 [Mun]ich", "1 Bad [Mün]der", "5 A [mun]", "6 -[mun]",
      "8 état-[mun]ir", "0 x[mün]", "4 Ne[mun]", "7 9[mun]",
    ]
    #expect(find("mun", in: picker).rows == expected)
    for byteCount in [1, 7, 30] {
      #expect(find("MÜN", in: picker, byteCount: byteCount).rows == expected)
    }
    for countMax in 1...11 {
      let found = find("mun", countMax: countMax, in: picker)
      #expect(found.rows == Array(expected.prefix(countMax)))
      #expect(found.hasMore == (countMax < 10))
    }
    #expect(find("muns", in: picker) == ([], false))
    #expect(find("\u{301}", in: picker) == ([], false))
  }

  @Test func `the first best match is marked in UTF-16, in whole characters with their accents`()
    throws
  {
    let picker = try columns(
      #"{"text":"🙂ab e\u0301\u0302f","key":"1"},{"text":"aﬁt fi","key":"2"},{"text":"xfi fi","key":"3"},"#
        + #"{"text":"각","key":"4"}"#)

    #expect(find("e", in: picker).rows == ["0 🙂ab [e\u{301}\u{302}]f"])
    #expect(find("B E", in: picker).rows == ["0 🙂a[b e\u{301}\u{302}]f"])
    #expect(find("🙂", in: picker).rows == ["0 [🙂]ab e\u{301}\u{302}f"])
    #expect(find("f", in: picker).rows == ["1 aﬁt [f]i", "2 xfi [f]i", "0 🙂ab e\u{301}\u{302}[f]"])
    #expect(find("it", in: picker).rows == ["1 a[ﬁt] fi"])
    #expect(find("가", in: picker).rows == ["3 [각]"])
  }

  @Test func `terms are searched as texts are, and the best match counts`() throws {
    let picker = try columns(
      #"{"text":"Munich","key":"a","terms":["MUC","muenchen"]},{"text":"Muckle","key":"b"},"#
        + #"{"text":"Zwickau","key":"c","terms":["amuc"]},{"text":"x MUC","key":"d","terms":["y"]},"#
        + #"{"text":"Amuch","key":"e","terms":["muc"]},{"text":"f","terms":[]}"#)

    #expect(
      find("muc", in: picker).rows
        == ["0 Munich", "4 A[muc]h", "1 [Muc]kle", "3 x [MUC]", "2 Zwickau"])
    #expect(find("münchen", in: picker).rows == [])
    #expect(find("muenchen", in: picker).rows == ["0 Munich"])
  }

  @Test func `rows of each kind of columns are found by the text in the reader's language`() throws
  {
    let dates = try Picker(
      #"{"kind":"date","min":"1990-01-01","max":"2026-12-31"}"#, at: "2026-11-20T12:00:00Z")
    #expect(find("201", countMax: 2, in: dates) == (["20 [201]0", "21 [201]1"], true))
    #expect(
      find("8年", countMax: 1, in: dates, texts: SimplifiedChineseTexts()) == (["8 199[8年]"], true))
    let slot = try Picker(#"{"kind":"slot","days":9}"#, at: "2026-11-20T12:00:00Z")
    #expect(find("tod", in: slot).rows == ["0 [Tod]ay, Nov 20"])
    let cascade = try Picker(
      #"{"kind":"cascade","nodes":[{"text":"a"},{"text":"Ä","key":"k","children":[{"text":"c"}]}]}"#,
      at: "2026-11-20T12:00:00Z")
    #expect(find("a", in: cascade).rows == ["0 [a]", "1 [Ä]"])
  }

  @Test func `other terms alone reload no column, and count in the definition's memory`() throws {
    let json = #"{"kind":"columns","columns":[[{"text":"a","terms":["one"]},"b"]]}"#
    var picker = try Picker(json, at: "2026-11-20T12:00:00Z")
    let other = json.replacing("one", with: "two and more")

    let answer = try picker.redefine(Definition.make(other))

    #expect(answer.changes == [])
    #expect(find("two", in: picker).rows == ["0 a"] && find("one", in: picker).rows == [])
    #expect(try Definition.make(other).byteCount > Definition.make(json).byteCount)
  }

  @Test(arguments: [
    #"[[{"text":"a","terms":["one","two"]},{"text":"b","key":"c","terms":[]},{"text":"d"},"e"]]"#,
    #"[["a",{"text":"b","terms":["\#(String(repeating: "é", count: 64))","1","2","3","4","5","6","7"]}]]"#,
  ])
  func `a definition's document has the terms as they were given`(_ columns: String) throws {
    let definition = try Definition.make(#"{"kind":"columns","columns":\#(columns)}"#)
    let explicit = definition.document(full: true, isExplicit: true)

    #expect(try JSONTree.parse(definition.fullJSON)["columns"]?.serialized() == Array(columns.utf8))
    #expect(definition.document(full: true)["columns"]?.serialized() == Array(columns.utf8))
    let same = try Definition.make(from: explicit) { _ in nil }
    #expect(same.document(full: true, isExplicit: true).serialized() == explicit.serialized())
    #expect(same.byteCount == definition.byteCount)
  }
}
