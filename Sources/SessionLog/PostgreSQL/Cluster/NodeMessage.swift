import CivilTime
import PickerHub
import PickerSession

/// A fact that a node sends to all nodes by `NOTIFY`: a line of words that are separated by spaces.
///
/// The ids of sessions and members have no spaces, because pickerd makes them.
enum NodeFact: Hashable, Sendable {
  /// A session has entries up to this one; `nil`: it was changed or has ended.
  case head(SessionID, Int?)
  /// A short entry of a session that other nodes have in memory, so that they need not read it.
  case entry(SessionID, epoch: String, sequence: Int, body: String)
  /// The last batch of the node whose entries and events the message has.
  case batch(Int)
  /// The newest position of the feed.
  case feed(Int)
  /// Cursors of the feed were set.
  case cursors
  case announced(SessionID, PresenceAnnouncement)
  /// The node does not have a session in memory any more.
  case released(SessionID)
  /// A part of the members of ``PresenceAnnouncement/present(_:)``; another fact follows.
  case presentPart(SessionID, [MemberID])

  /// The maximum of members in one fact.
  static let membersMax = 100
  /// The maximum size of ``entry(_:epoch:sequence:body:)``. Longer ones are read.
  static let entryByteCountMax = 1000

  var line: String {
    switch self {
    case .head(let session, let head): "h \(session) \(head ?? -1)"
    case .entry(let session, let epoch, let sequence, let body):
      "e \(session) \(epoch) \(sequence) \(body)"
    case .batch(let number): "b \(number)"
    case .feed(let position): "f \(position)"
    case .cursors: "k"
    case .released(let session): "r \(session)"
    case .presentPart(let session, let members): NodeFact.line("q", session, members)
    case .announced(let session, let announcement):
      switch announcement {
      case .serving: "s \(session)"
      case .connected(let member): "c \(session) \(member)"
      case .disconnected(let member): "d \(session) \(member)"
      case .present(let members): NodeFact.line("p", session, members)
      case .touched(let member, let touch): "t \(session) \(member) \(touch.words)"
      }
    }
  }

  private static func line(_ kind: String, _ session: SessionID, _ members: [MemberID]) -> String {
    ([kind, session.text] + members.map(\.text)).joined(separator: " ")
  }

  /// - Returns: `nil` for a line of a newer version.
  init?(line: Substring) {
    if line.utf8.starts(with: "e ".utf8) {
      let parts = line.utf8.split(separator: UInt8(ascii: " "), maxSplits: 4)
      guard parts.count == 5, let sequence = Int(Substring(parts[3])) else { return nil }
      self = .entry(
        SessionID(String(Substring(parts[1]))), epoch: String(Substring(parts[2])),
        sequence: sequence, body: String(Substring(parts[4])))
      return
    }
    let words = line.split(separator: " ")
    let numbers = words.map { Int($0) }
    guard let kind = words.first else { return nil }
    switch (kind, words.count) {
    case ("k", 1): self = .cursors
    case ("b", 2): self = .batch(numbers[1] ?? 0)
    case ("f", 2): self = .feed(numbers[1] ?? 0)
    case ("h", 3):
      guard let head = numbers[2] else { return nil }
      self = .head(SessionID(String(words[1])), head < 0 ? nil : head)
    case ("r", 2): self = .released(SessionID(String(words[1])))
    case ("q", 2...):
      self = .presentPart(SessionID(String(words[1])), NodeFact.members(words))
    default:
      guard words.count > 1, let announcement = PresenceAnnouncement(words) else { return nil }
      self = .announced(SessionID(String(words[1])), announcement)
    }
  }

  fileprivate static func members(_ words: [Substring]) -> [MemberID] {
    words.dropFirst(2).map { MemberID(String($0)) }
  }

  /// The facts of an announcement, which may be too large for one.
  static func facts(_ announcement: PresenceAnnouncement, of session: SessionID) -> [NodeFact] {
    guard case .present(let members) = announcement, members.count > membersMax else {
      return [.announced(session, announcement)]
    }
    var rest = members[...]
    var facts: [NodeFact] = []
    while rest.count > membersMax {
      facts.append(.presentPart(session, Array(rest.prefix(membersMax))))
      rest = rest.dropFirst(membersMax)
    }
    return facts + [.announced(session, .present(Array(rest)))]
  }
}

extension PresenceAnnouncement {
  /// The announcement of a line with two words or more.
  fileprivate init?(_ words: [Substring]) {
    let member = words.count > 2 ? MemberID(String(words[2])) : nil
    switch (words[0], member) {
    case ("s", nil): self = .serving
    case ("p", _): self = .present(NodeFact.members(words))
    case ("c", let member?): self = .connected(member)
    case ("d", let member?): self = .disconnected(member)
    case ("t", let member?):
      guard let touch = Touch(words.dropFirst(3)) else { return nil }
      self = .touched(member, touch)
    default: return nil
    }
  }
}

extension Touch {
  fileprivate var words: String {
    switch self {
    case .row(let column, let row, let isHover): "\(isHover ? "R" : "r") \(column) \(row)"
    case .date(let date, let isHover):
      "\(isHover ? "D" : "d") \(date.year) \(date.month) \(date.day)"
    case .lifted: "l"
    }
  }

  fileprivate init?(_ words: ArraySlice<Substring>) {
    let numbers = words.dropFirst().compactMap { Int($0) }
    switch (words.first, numbers.count) {
    case ("l", 0): self = .lifted
    case ("r", 2), ("R", 2):
      self = .row(column: numbers[0], row: numbers[1], isHover: words.first == "R")
    case ("d", 3), ("D", 3):
      guard let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]) else {
        return nil
      }
      self = .date(date, isHover: words.first == "D")
    default: return nil
    }
  }
}

/// A payload of `NOTIFY`: the sender in the first line, then its facts.
struct NodeMessage: Hashable, Sendable {
  let sender: Int
  let facts: [NodeFact]

  /// The maximum size of a payload is less than 8000 bytes.
  /// - Source: postgresql.org/docs/15/sql-notify.html
  static let byteCountMax = 7900

  init?(_ payload: String) {
    // As bytes: an entry is long, and has no line break in its JSON.
    let lines = payload.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    guard let sender = lines.first?.split(separator: " ").first.flatMap({ Int($0) }) else {
      return nil
    }
    self.sender = sender
    facts = lines.dropFirst().compactMap { NodeFact(line: $0) }
  }

  /// The payloads for some facts, at least one. Payloads with equal contents would be delivered
  /// once, so each has a number.
  static func payloads(
    of facts: [NodeFact], by sender: Int, number: inout Int
  ) -> [String] {
    var payloads: [String] = []
    var payload = ""
    func begin() -> String {
      number += 1
      return "\(sender) \(number)"
    }
    payload = begin()
    for fact in facts {
      let line = fact.line
      if payload.utf8.count + 1 + line.utf8.count > byteCountMax {
        payloads.append(payload)
        payload = begin()
      }
      payload += "\n" + line
    }
    return payloads + [payload]
  }
}
