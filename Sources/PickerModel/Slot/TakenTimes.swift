import CivilTime
import JSONText

/// The field `taken` of a slot: the times that are booked already.
struct TakenTimes: Sendable {
  /// An entry as given, for the definition's document.
  private struct Entry: Sendable {
    let id: String
    let from: Moment
    let until: Moment
  }

  private let entries: [Entry]
  /// The taken times in seconds since 1970-01-01T00:00Z, merged: ascending and without overlaps.
  ///
  /// Rounded outwards to whole seconds, which makes no difference because slots start and end at
  /// whole seconds.
  private let stretches: [Range<Int64>]

  static let none = TakenTimes([])
  var isEmpty: Bool { stretches.isEmpty }
  static let shape = FieldShape.eachMember(.fields(["from": .value, "until": .value]))

  private init(_ entries: [(entry: Entry, stretch: Range<Int64>)]) {
    self.entries = entries.map(\.entry)
    stretches = entries.map(\.stretch).merged()
  }

  /// Reads the field.
  ///
  /// - Parameter zone: `nil` if `timeZone` is invalid, which its reader reports.
  init(
    _ tree: JSONTree, _ reader: DefinitionReader, in zone: ZoneRules?
  ) throws(DefinitionProblem) {
    let members = try tree.fields(named: "taken", reader.limits.takenMax)
    self.init(
      try members.read { member throws(DefinitionProblem) in
        try member.checkID(reader.limits)
        return try reader.object(member.value, named: "an entry of taken") {
          TakenTimes.entry(member.key, &$0, in: zone)
        }
      })
  }

  private static func entry(
    _ id: String, _ reader: inout DefinitionReader, in known: ZoneRules?
  ) -> (entry: Entry, stretch: Range<Int64>)? {
    let from = moment("from", &reader)
    let until = moment("until", &reader)
    let zone = known ?? .utc
    if let from, let until, until.instant(in: zone) <= from.instant(in: zone),
      known != nil || from.isLocal == until.isLocal
    {
      reader.report("until", "until must be later than from")
    }
    guard let from, let until else { return nil }
    let start = from.instant(in: zone).seconds
    let end = until.instant(in: zone).adding(milliseconds: 999).seconds
    return (Entry(id: id, from: from, until: until), start..<max(start, end))
  }

  /// Reads a field with a time.
  static func moment(_ field: String, _ reader: inout DefinitionReader) -> Moment? {
    reader.field(field, missing: nil) { tree throws(DefinitionProblem) in
      if case .string(let text) = tree, let moment = Moment(text) { return moment }
      throw DefinitionProblem(
        "\(field) is \(tree.noun); it must be a local time, YYYY-MM-DDTHH:MM, or an instant with "
          + "an offset, such as 2026-11-23T10:00:00Z")
    }
  }

  /// The field's value in the definition's document; `nil` if there are no entries.
  var document: JSONTree? {
    guard !entries.isEmpty else { return nil }
    return .object(
      entries.map { entry in
        .init(
          entry.id,
          .object([
            .init("from", .string(entry.from.text)), .init("until", .string(entry.until.text)),
          ]))
      })
  }

  /// The parts of `open` that are at least `buffer` seconds away from all taken times.
  ///
  /// A binary search and the entries inside `open`: entries elsewhere cost nothing.
  func free(in open: Range<Int64>, buffer: Int64) -> [Range<Int64>] {
    var free: [Range<Int64>] = []
    var start = open.lowerBound
    let first = stretches.partitionPoint { $0.upperBound > open.lowerBound - buffer }
    for index in first..<stretches.count {
      let low = stretches[index].lowerBound - buffer
      guard low < open.upperBound else { break }
      if start < low { free.append(start..<low) }
      start = stretches[index].upperBound + buffer
    }
    if start < open.upperBound { free.append(start..<open.upperBound) }
    return free
  }
}

extension TakenTimes {
  /// A start or end in one of its two notations.
  enum Moment: Hashable, Sendable {
    case local(CivilDate, minute: Int)
    /// With the text as given, to preserve its offset and digits.
    case instant(Instant, text: String)

    init?(_ text: String) {
      if text.utf8.count == 16, text.utf8.dropFirst(10).first == UInt8(ascii: "T") {
        guard let date = CivilDate(iso: text.utf8.prefix(10)),
          let minute = minuteOfDay(String(text.utf8.suffix(5))!), minute < 1_440
        else { return nil }
        self = .local(date, minute: minute)
      } else {
        guard let instant = Instant(rfc3339: text.utf8) else { return nil }
        self = .instant(instant, text: text)
      }
    }

    var text: String {
      switch self {
      case .local(let date, let minute): "\(date.iso)T\(clockText(minute))"
      case .instant(_, let text): text
      }
    }

    var isLocal: Bool { if case .local = self { true } else { false } }

    func instant(in zone: ZoneRules) -> Instant {
      switch self {
      case .local(let date, let minute): zone.span(of: date, minute: minute).first
      case .instant(let instant, _): instant
      }
    }
  }
}

extension [Range<Int64>] {
  /// The union of the ranges: ascending, neither overlapping nor adjacent.
  func merged() -> [Range<Int64>] {
    var merged: [Range<Int64>] = []
    for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] =
          last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }
}

extension JSONTree.Member {
  /// Checks that the name is a valid id of an entry of `taken`.
  func checkID(_ limits: DefinitionLimits) throws(DefinitionProblem) {
    let maximum = limits.idCharactersMax
    guard !key.isEmpty, key.unicodeScalars.prefix(maximum + 1).count <= maximum else {
      throw DefinitionProblem("an id must have 1 to \(maximum) characters")
    }
  }
}
