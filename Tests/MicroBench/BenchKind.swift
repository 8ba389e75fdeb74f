/// A picker and the taps to measure, each of which changes it; `@` stands for the ref.
struct BenchKind {
  let name: String
  /// The definition in JSON.
  let definition: String
  let taps: [String]
  /// Fields of the members' joins besides the type.
  var join = ""

  static let all = [
    BenchKind(
      name: "date, a day", definition: #"{"kind":"date","min":"2000-01-01","max":"2040-12-31"}"#,
      taps: selects(column: 2, rows: [1, 2])),
    BenchKind(
      name: "date, a month: reloads the days",
      definition: #"{"kind":"date","min":"2000-01-01","max":"2040-12-31"}"#,
      taps: selects(column: 1, rows: [1, 2])),
    BenchKind(
      name: "slot, an hour", definition: #"{"kind":"slot","timeZone":"UTC","days":30}"#,
      taps: selects(column: 1, rows: [1, 2])),
    BenchKind(
      name: "cascade, a leaf", definition: tree(branches: 10, leaves: 10),
      taps: selects(column: 1, rows: [1, 2])),
    BenchKind(
      name: "cascade, a branch: reloads 10 leaves", definition: tree(branches: 10, leaves: 10),
      taps: selects(column: 0, rows: [1, 2])),
    BenchKind(
      name: "columns",
      definition: #"{"kind":"columns","columns":[["MacOS","Windows","Linux"],["Xcode","Atom"]]}"#,
      taps: selects(column: 0, rows: [1, 2])),
    BenchKind(
      name: "calendar", definition: calendar(years: 1), taps: days(year: 2026),
      join: #","months":{"from":"2026-01","count":3}"#),
  ]

  /// Pairs of pickers that differ only in size.
  static let sizes = [
    (
      BenchKind(
        name: "calendar of 12 months", definition: calendar(years: 1), taps: days(year: 2026),
        join: #","months":{"from":"2026-01","count":3}"#),
      BenchKind(
        name: "calendar of 12,000 months", definition: calendar(years: 1000),
        taps: days(year: 2026), join: #","months":{"from":"2026-01","count":3}"#)
    ),
    (
      BenchKind(
        name: "tree of 10 nodes", definition: tree(branches: 2, leaves: 4),
        taps: selects(column: 1, rows: [1, 2])),
      BenchKind(
        name: "tree of 20,000 nodes", definition: tree(branches: 141, leaves: 140),
        taps: selects(column: 1, rows: [1, 2]))
    ),
  ]

  private static func selects(column: Int, rows: [Int]) -> [String] {
    rows.map { #"{"type":"select","ref":@,"column":\#(column),"row":\#($0),"generation":1}"# }
  }

  private static func days(year: Int) -> [String] {
    ["-01-10", "-03-20"].map { #"{"type":"tap","ref":@,"date":"\#(year)\#($0)"}"# }
  }

  private static func calendar(years: Int) -> String {
    #"{"kind":"calendar","months":{"from":"2026-01","through":"\#(2025 + years)-12"}}"#
  }

  /// A tree of two levels: `branches` with `leaves` each.
  private static func tree(branches: Int, leaves: Int) -> String {
    let nodes = (0..<branches).map { branch in
      let children = (0..<leaves).map { #"{"text":"\#(branch) and \#($0)"}"# }
      return #"{"text":"Branch \#(branch)","children":[\#(children.joined(separator: ","))]}"#
    }
    return #"{"kind":"cascade","nodes":[\#(nodes.joined(separator: ","))]}"#
  }
}
