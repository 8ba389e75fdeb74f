import CivilTime
import JSONText
import PickerModel
import PickerWire

/// What a `find` in a column of 20,000 rows costs the event loop, all its parts together.
struct FindCost {
  let name: String
  /// A text that no row has.
  let none: Cost
  /// A text that every row has, and the answer with 20 of them.
  let every: Cost
  /// As long as one part occupies the loop.
  let part: Cost

  static func all() throws -> [FindCost] {
    try [
      FindCost(
        "years, 9,999", #"{"kind":"date","min":"0001-01-01","max":"9999-12-31"}"#, every: "1"),
      FindCost("short texts", rows { "\($0 * 7919 % 20_000) Example Street" }, every: "st"),
      FindCost("texts with accents", rows { "Zürich-Örlikon Allée \($0)" }, every: "ör"),
      FindCost("Japanese texts", rows { "東京都ガーデン駅\($0)" }, every: "カ"),
      FindCost("Korean texts", rows { "서울특별시 종로구 \($0)" }, every: "종로"),
      FindCost(
        "texts of 170 bytes", rows { "\($0)-" + String(repeating: "xyz ", count: 41) }, every: "x"),
      FindCost("texts with eight terms", rows(terms: 8) { "Row \($0)" }, every: "w"),
    ]
  }

  private static func rows(terms: Int = 0, _ text: (Int) -> String) -> String {
    let terms = (0..<terms).map { #""another name \#($0)""# }.joined(separator: ",")
    let rows = (0..<20_000).map { #"{"text":"\#(text($0))","terms":[\#(terms)]}"# }
    return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  private init(_ name: String, _ definition: String, every: String) throws {
    self.name = name
    let tree = try JSONTree.parse(Array(definition.utf8))
    let picker = try Picker(Definition.make(from: tree) { _ in nil }, now: BenchHub.time.session)
    let rows = picker.columns[0].rows
    func find(_ text: String, byteCount: Int = .max) {
      var search = RowSearch(text, countMax: 20)
      var byteCountLeft = byteCount
      guard search.advance(in: rows, texts: EnglishTexts(), byteCountLeft: &byteCountLeft) else {
        return
      }
      var writer = JSONWriter()
      writer.found(
        search.found(in: rows, texts: EnglishTexts()), in: rows, texts: EnglishTexts())
      keep(writer.count)
    }
    none = Cost.measure(count: 1) {
    } run: {
      find("qqq")
    }
    self.every = Cost.measure(count: 1) {
    } run: {
      find(every)
    }
    part = Cost.measure(count: 1) {
    } run: {
      find(every, byteCount: 131_072)
    }
  }
}
