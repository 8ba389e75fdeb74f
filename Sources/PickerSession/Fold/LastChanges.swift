import JSONText
package import PickerModel

/// The last changes of a session's value or status, as far as they decide whether a late command is
/// stale.
///
/// The value is the result and, of a calendar, the first day, the last day and the hits of its
/// range.
package struct LastChanges: Hashable, Sendable {
  package struct Change: Hashable, Sendable {
    package fileprivate(set) var revision: Int
    /// `nil` if time or the host made the change. They count as one author.
    package let member: MemberID?

    package init(revision: Int, member: MemberID?) {
      self.revision = revision
      self.member = member
    }
  }

  /// The last change.
  package private(set) var last: Change?
  /// The last change by another author than that of ``last``.
  package private(set) var other: Change?

  package init(last: Change? = nil, other: Change? = nil) {
    self.last = last
    self.other = other
  }

  /// - Parameter member: See ``Change/member``.
  mutating func add(revision: Int, by member: MemberID?) {
    if last != nil, last?.member == member {
      last?.revision = revision
    } else {
      swap(&other, &last)
      last = Change(revision: revision, member: member)
    }
  }

  /// The last change that can make a command of `author` stale; `nil` if there is none.
  ///
  /// A member's own changes cannot, because it gives its commands in order. The host is many
  /// processes, which do not see each other's changes: its changes have no member, so for its
  /// commands every change counts.
  func last(before author: MemberID) -> Change? {
    last?.member == author ? other : last
  }
}

extension SessionFold {
  /// Checks that a command's author has seen what it acts on.
  ///
  /// - Source: web/guide/README.md, "Late commands".
  mutating func check(
    _ precondition: Precondition, of member: MemberID
  ) throws(Refusal) {
    switch precondition {
    case .at(let seen):
      let change = facts.lastChanges.last(before: member)
      if seen > revision {
        throw Refusal(
          stale: change, "at is \(seen), but the session has revision \(revision): join it again")
      }
      guard let change, change.revision > seen else { return }
      throw Refusal(
        stale: change,
        "revision \(change.revision) has changed the value or the status after revision \(seen), "
          + "which is at; look at it and give a new command")
    case .hits(let seen):
      let hits = picker.range?.hits ?? 0
      guard hits != seen else { return }
      throw Refusal(
        stale: facts.lastChanges.last,
        "the range has \(hits) hits, not \(seen); look at it and give a new command")
    }
  }
}

extension SessionChange {
  /// Whether it changes the status, or a calendar's range or hits.
  var changesRangeOrStatus: Bool {
    if case .status = self { return true }
    guard let ranges else { return false }
    return ranges.before?.start != ranges.after?.start || ranges.before?.end != ranges.after?.end
      || ranges.before?.hits != ranges.after?.hits
  }
}

extension Refusal {
  fileprivate init(stale change: LastChanges.Change?, _ detail: String) {
    var params: [JSONTree.Member] = []
    if let change {
      params.append(.init("revision", .integer(change.revision)))
      if let member = change.member { params.append(.init("by", .string(member.text))) }
    }
    self.init(.stale, detail, params: params)
  }
}
