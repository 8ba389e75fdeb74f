import CivilTime
import JSONText
import Testing

@testable import PickerModel

@Suite struct NotesTests {
  private func parse(_ json: String) throws -> JSONTree { try JSONTree.parse(Array(json.utf8)) }

  private func notes(_ json: String, for kind: PickerKind = .calendar) throws -> Notes {
    var notes = Notes()
    notes.apply(try notes.change(by: try parse(json), for: kind))
    return notes
  }

  @Test func `a merge patch adds, merges and removes notes and reports the differences`() throws {
    var notes = try notes(
      #"{"days":{"2026-12-24":{"text":"€ 120","tone":"high"},"2026-12-25":{"text":"x"}}}"#)
    let patch = #"{"days":{"2026-12-25":null,"2026-12-24":{"tone":null},"2026-12-01":null}}"#
    let change = try notes.change(by: try parse(patch), for: .calendar)
    #expect(change.days.map(\.date.iso) == ["2026-12-24", "2026-12-25"])
    #expect(change.days[1].note == nil)
    notes.apply(change)
    #expect(
      notes.tree == (try parse(#"{"days":{"2026-12-24":{"text":"€ 120"}},"columns":{}}"#)))
    #expect(try notes.change(by: notes.tree, for: .calendar).isEmpty)
    let all = try notes.change(by: try parse(#"{"days":null}"#), for: .calendar)
    notes.apply(all)
    #expect(notes.isEmpty)
  }

  @Test func `the memory of notes is counted until they are removed`() throws {
    var (notes, counts) = (Notes(), [0])
    for patch in [
      #"{"0":{"a":{"text":"x"}}}"#, #"{"0":{"a":{"text":{"en":"x","de":"sold out"}}}}"#,
      #"{"0":{"a":{"text":"x"}}}"#, #"{"0":{"a":null}}"#,
    ] {
      let change = try notes.change(by: try parse(#"{"columns":\#(patch)}"#), for: .columns)
      notes.apply(change)
      counts.append(notes.byteCount)
    }

    #expect(counts[1] > 100 && counts[2] > counts[1] + 100)
    #expect(counts[3...] == [counts[1], 0])
  }

  @Test(arguments: [
    #"{"text":"full"}"#, #"{"text":"full","tone":"low"}"#, #"{"tone":"good","text":"full"}"#,
    #"{"tone":"bad"}"#, #"{"tone":null,"text":"full"}"#, #"{"text":{"de":"voll"}}"#,
    #"{"text":"full","size":null}"#, #"{"text":"full","size":"1"}"#, #"{"text":""}"#,
    #"{"text":"1234567890123456789012345"}"#, #"{"text":"full","tone":"loud"}"#, "{}", "[]",
    #"{"text":"full","amount":120}"#, #"{"amount":0.1}"#, #"{"text":"full","amount":1.005}"#,
    #"{"amount":null,"text":"full"}"#, #"{"text":"full","amount":"1"}"#,
  ])
  func `a note is patched as RFC 7396 merges its document`(_ patch: String) throws {
    let day = try #require(CivilDate(iso: "2026-12-24".utf8))
    for before in [
      "null", #"{"text":"a"}"#, #"{"text":"full","tone":"low"}"#,
      #"{"text":{"en":"a"},"tone":"high"}"#, #"{"text":"a","amount":80.5}"#,
    ] {
      let known = try notes(#"{"days":{"2026-12-24":\#(before)}}"#)
      let merged = (known.days[day]?.tree ?? .object([])).merging(try parse(patch))
      let wanted = try? Note(merged, at: "a note", isOnDay: true)

      let change = try? known.change(
        by: try parse(#"{"days":{"2026-12-24":\#(patch)}}"#), for: .calendar)

      #expect((change == nil) == (wanted == nil))
      guard let change, let wanted else { continue }
      #expect(change.days.map(\.note) == (wanted == known.days[day] ? [] : [wanted]))
    }
  }

  @Test(arguments: [
    ("0", "0"), ("380", "380"), ("119.99", "119.99"), ("0.1", "0.1"), ("1e2", "100"),
    ("80.50", "80.5"), ("999999999.99", "999999999.99"), ("1000000000", "1000000000"),
  ])
  func `an amount has at most two decimals and is stored exactly`(
    _ json: String, _ stored: String
  ) throws {
    let notes = try notes(#"{"days":{"2026-12-24":{"text":"x","amount":\#(json)}}}"#)
    let expected = #"{"days":{"2026-12-24":{"text":"x","amount":\#(stored)}},"columns":{}}"#
    #expect(String(decoding: notes.tree.serialized(), as: UTF8.self) == expected)
    #expect(Notes(tree: notes.tree) == notes)
  }

  @Test(arguments: ["-1", "0.001", "1000000000.01", "1e300", #""1""#, "true", "[]"])
  func `an invalid amount is refused`(_ json: String) throws {
    #expect {
      try notes(#"{"days":{"2026-12-24":{"text":"x","amount":\#(json)}}}"#)
    } throws: {
      ($0 as? BadNotes)?.detail
        == "amount of the note on 2026-12-24 must be a number from 0 to 1000000000 with at most "
        + "two decimals"
    }
  }

  @Test func `a note of a row has no amount`() {
    #expect(throws: BadNotes.self) {
      try notes(#"{"columns":{"0":{"a":{"text":"x","amount":1}}}}"#, for: .columns)
    }
  }

  @Test func `a result has a total when each of its days, or nights, has an amount`() throws {
    let notes = try notes(
      """
      {"days":{"2026-12-01":{"text":"a","amount":0.1},"2026-12-02":{"text":"b","amount":0.2},
       "2026-12-03":{"text":"c","amount":120},"2026-12-04":{"text":"no amount"}}}
      """)
    func total(_ fields: String, _ start: String, _ end: String) throws -> String? {
      let json = #"{"kind":"calendar","months":{"from":"2026-12","through":"2026-12"}\#(fields)}"#
      var picker = try Picker(json, at: "2026-12-01T10:00:00Z")
      _ = try picker.tap(start)
      if !fields.contains("single") {
        #expect(picker.result(priced: notes) == .null)
        _ = try picker.tap(end)
      }
      let total = picker.result(priced: notes)["total"]
      return total.map { String(decoding: $0.serialized(), as: UTF8.self) }
    }
    let euro = #","currency":"EUR""#
    #expect(try total(euro, "2026-12-01", "2026-12-03") == #"{"amount":120.3,"currency":"EUR"}"#)
    #expect(try total("", "2026-12-03", "2026-12-01") == #"{"amount":120.3}"#)
    #expect(try total("", "2026-12-01", "2026-12-04") == nil)
    let nights = #","unit":"nights""#
    #expect(try total(nights, "2026-12-01", "2026-12-04") == #"{"amount":120.3}"#)
    #expect(try total(nights, "2026-12-01", "2026-12-02") == #"{"amount":0.1}"#)
    #expect(try total(nights, "2026-12-01", "2026-12-05") == nil)
    #expect(try total(#","selection":"single""#, "2026-12-03", "") == #"{"amount":120}"#)
  }

  @Test func `notes of rows are identified by column and by the bytes of the key`() throws {
    let composed = "\u{E9}"
    let notes = try notes(
      #"{"columns":{"0":{"\#(composed)":{"text":"a"},"e\u0301":{"text":"b"}},"2":{"k":{"text":"c"}}}}"#,
      for: .columns)
    #expect(notes.rowCount == 3 && notes.columns.keys.sorted() == [0, 2])
    #expect(notes.columns[0]?[ExactString(composed)]?.text == .same("a"))
    let gone = try notes.change(by: try parse(#"{"columns":{"2":null,"1":null}}"#), for: .columns)
    #expect(gone.columns.map(\.column) == [2])
  }

  @Test(
    arguments: [
      ("de-DE-1996", "en", "aus"), ("DE-at", "en", "Jänner"), ("fr", "de", "aus"),
      ("fr", "it", "aus"), ("zh-Hant-TW", "en", "滿"), ("zh-x-a-zh", "en", "满"),
    ])
  func `a note's locale is found by lookup, then the definition's, then the first`(
    tag: String, fallback: String, text: String
  ) throws {
    let json = """
      {"days":{"2026-12-24":{"text":
        {"zh-Hant":"滿","zh":"满","de-AT":"Jänner","de":"aus","pt-BR":"esgotado"}}}}
      """
    let note = try #require(try notes(json).days[CivilDate(iso: "2026-12-24".utf8)!])
    let first = fallback == "it" ? "aus" : text
    #expect(note.text(for: tag, fallback: fallback) == first)
  }

  @Test(
    arguments: [
      "[]", "null", "7", #"{"day":{}}"#, #"{"days":7}"#, #"{"days":{"2026-02-30":{"text":"a"}}}"#,
      #"{"days":{"today":null}}"#, #"{"days":{"2026-12-24":"a"}}"#,
      #"{"days":{"2026-12-24":{}}}"#, #"{"days":{"2026-12-24":{"tone":"low"}}}"#,
      #"{"days":{"2026-12-24":{"text":""}}}"#, #"{"days":{"2026-12-24":{"text":7}}}"#,
      #"{"days":{"2026-12-24":{"text":"1234567890123456789012345"}}}"#,
      #"{"days":{"2026-12-24":{"text":{}}}}"#, #"{"days":{"2026-12-24":{"text":{"e n":"a"}}}}"#,
      #"{"days":{"2026-12-24":{"text":{"en":""}}}}"#,
      #"{"days":{"2026-12-24":{"text":{"en":["a"]}}}}"#,
      #"{"days":{"2026-12-24":{"text":"a","tone":"loud"}}}"#,
      #"{"days":{"2026-12-24":{"text":"a","colour":"red"}}}"#,
      #"{"columns":{"0":{"a":{"text":"a"}}}}"#,
    ])
  func `invalid notes are refused`(json: String) throws {
    let notes = Notes()
    #expect(throws: BadNotes.self) { try notes.change(by: try parse(json), for: .calendar) }
  }

  @Test(
    arguments: [
      #"{"days":{"2026-12-24":{"text":"a"}}}"#, #"{"columns":{"00":{}}}"#,
      #"{"columns":{"32":{}}}"#,
      #"{"columns":{"-1":{}}}"#, #"{"columns":{"0":{"":{"text":"a"}}}}"#, #"{"columns":{"0":7}}"#,
      #"{"columns":[]}"#,
    ])
  func `invalid notes of columns are refused`(json: String) throws {
    let notes = Notes()
    #expect(throws: BadNotes.self) { try notes.change(by: try parse(json), for: .slot) }
  }

  @Test func `a note may have 8 locales and 24 characters`() throws {
    func json(_ count: Int) -> String {
      let texts = (0..<count).map { "\"a\("bcdefghij".map(String.init)[$0])\":\"\($0)\"" }
      return #"{"days":{"2026-12-24":{"text":{\#(texts.joined(separator: ","))}}}}"#
    }
    #expect(try notes(json(8)).days.count == 1)
    #expect(throws: BadNotes.self) { try notes(json(9)) }
    #expect(
      try notes(#"{"days":{"2026-12-24":{"text":"ééééééééééééééééééééééé€"}}}"#).days.count == 1)
  }

  @Test func `at most 4,000 days and 20,000 rows may have notes`() throws {
    func days(_ count: Int) -> String {
      let first = CivilDate(iso: "2026-01-01".utf8)!
      let days = (0..<count).map { "\"\(first.adding(days: $0)!.iso)\":{\"text\":\"x\"}" }
      return #"{"days":{\#(days.joined(separator: ","))}}"#
    }
    #expect(try notes(days(4_000)).days.count == 4_000)
    #expect(throws: BadNotes.self) { try notes(days(4_001)) }
    func rows(_ count: Int) -> String {
      let rows = (0..<count).map { "\"\($0)\":{\"text\":\"x\"}" }.joined(separator: ",")
      return #"{"columns":{"0":{\#(rows)},"1":{"a":{"text":"y"}}}}"#
    }
    #expect(try notes(rows(19_999), for: .cascade).rowCount == 20_000)
    #expect(throws: BadNotes.self) { try notes(rows(20_000), for: .cascade) }
    // Existing notes can be changed at the maximum.
    let full = try notes(rows(19_999), for: .cascade)
    let swap = try parse(#"{"columns":{"1":{"a":null,"b":{"text":"z"}}}}"#)
    #expect(try full.change(by: swap, for: .cascade).columns[0].rows.count == 2)
  }
}
