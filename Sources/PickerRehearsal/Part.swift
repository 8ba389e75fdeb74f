/// What kind of picker a scene is played with.
package enum SceneKind: String, CaseIterable, Sendable {
  /// `date`, `slot`, `columns` and `cascade`.
  case wheels
  case calendar
  case availability
}

/// A picker, and what its members do with it in the scenes that are played with several kinds.
struct Part: Sendable {
  /// What other members or the host change.
  enum Change: Sendable {
    /// The JSON members of commands of the other member, without braces and `ref`.
    case commands([String])
    /// A merge patch of the definition.
    case patch(String)
  }

  let kind: SceneKind
  /// The definition, and possibly further members of the request that creates the session.
  let definition: String
  /// The JSON members of the commands of the client's user.
  var user: [String] = []
  var change = Change.commands([])

  init(_ kind: SceneKind, _ definition: String) {
    self.kind = kind
    self.definition = definition
  }

  /// The same picker for a scene of its own.
  func with(user: [String], change: Change? = nil) -> Part {
    var part = self
    part.user = user
    part.change = change ?? part.change
    return part
  }
}

extension Part {
  static let lists = Part(
    .wheels, #"{"kind":"columns","columns":[["a","b","c","d"],["x","y","z"]]}"#
  ).with(
    user: [select(1, 2), select(1, 1)],
    change: .commands([select(0, 1, generation: 1), select(0, 2, generation: 1)]))

  static let date = Part(
    .wheels,
    #"{"kind":"date","min":"2024-01-01","max":"2026-12-31","initial":"2026-03-15"}"#)

  static let slot = Part(.wheels, #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#)

  static let calendar = Part(
    .calendar,
    """
    {"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"maxDays":5,\
    "blocked":[{"from":"2026-11-18"}]}
    """
  ).with(
    user: [tap("2026-11-03"), tap("2026-11-12")],
    change: .commands([tap("2026-11-05"), tap("2026-11-10")]))

  static let nights = Part(
    .calendar,
    """
    {"kind":"calendar","unit":"nights","months":{"from":"2026-11","through":"2026-12"},\
    "currency":"EUR","stays":[{"weekdays":[7],"arrival":false}],\
    "taken":{"a":{"from":"2026-11-27","through":"2026-11-29"}}}
    """)

  static let hours = Part(
    .availability,
    """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-24"},\
    "stepMinutes":60,"hours":[{"from":"09:00","until":"13:00"}],"length":2,\
    "closes":"2026-11-23T11:00"}
    """
  ).with(
    user: [mark("maybe", "[1,4]"), mark("no", "[5,6]")],
    change: .commands([
      mark("yes", "[0,3]") + #","generation":1"#, mark("no", "[2,5]") + #","generation":1"#,
    ]))

  static let hidden = Part(
    .availability,
    """
    {"kind":"availability","dates":{"from":"2026-11-23","through":"2026-11-29"},\
    "results":"counts"}
    """)

  static func tap(_ date: String) -> String { #""type":"tap","date":"\#(date)""# }

  /// Without a generation the client adds that of the rows it shows.
  static func select(_ column: Int, _ row: Int, generation: Int? = nil) -> String {
    #""type":"select","column":\#(column),"row":\#(row)"#
      + (generation.map { #","generation":\#($0)"# } ?? "")
  }

  static func mark(_ grade: String, _ run: String) -> String {
    #""type":"mark","grade":"\#(grade)","cells":[\#(run)]"#
  }
}
