import JSONText
import PickerModel
import PickerSession

/// Which members of a session are connected, absent or about to join, as far as the session's log
/// does not say.
///
/// Invariants: a member has at most one connection; the time of an absence is that of its first
/// moment without a connection, and ends with the next join; ``pendingJoinCount`` is the number of
/// joins and returns that have not been applied. The caller reports every join and
/// return that it appends, and every entry that is applied.
struct Attendance {
  /// The current connection of each member, from its join message on.
  private var connectionOfMember: [MemberID: ConnectionID] = [:]
  /// For each offline member, the time since it has no connection, in machine milliseconds.
  private var absentSince: [MemberID: Int64] = [:]
  /// With `oneMember`, the joins that are pending, by subject.
  private var joiningSubjects: [ExactString: LogEntry.Joining] = [:]
  /// The rates of commands that members post over HTTP.
  private var postRates: [MemberID: MessageRate] = [:]
  /// The number of pending joins and returns.
  private(set) var pendingJoinCount = 0
}

/// Connections and absences.
extension Attendance {
  /// The connections of the members, in no order.
  var connections: some Collection<ConnectionID> { connectionOfMember.values }
  var connectionCount: Int { connectionOfMember.count }
  /// The number of offline members whose absence has begun.
  var absentCount: Int { absentSince.count }

  func connection(of member: MemberID) -> ConnectionID? { connectionOfMember[member] }

  mutating func connect(_ member: MemberID, _ connection: ConnectionID) {
    connectionOfMember[member] = connection
  }

  /// Removes a connection, unless the member has a newer one.
  mutating func disconnect(_ member: MemberID, _ connection: ConnectionID) {
    if connectionOfMember[member] == connection { connectionOfMember[member] = nil }
  }

  mutating func beginAbsence(of member: MemberID, at now: Int64) { absentSince[member] = now }

  mutating func endAbsence(of member: MemberID) { absentSince[member] = nil }

  /// How long a member has been absent, in milliseconds; `nil` if it is not.
  func absence(of member: MemberID, at now: Int64) -> Int64? {
    absentSince[member].map { now - $0 }
  }
}

/// Joins.
extension Attendance {
  /// The pending join of a subject, with `oneMember`.
  func joining(subject: String) -> LogEntry.Joining? { joiningSubjects[ExactString(subject)] }

  /// The pending join of a member, with `oneMember`.
  func joining(_ member: MemberID) -> LogEntry.Joining? {
    joiningSubjects.values.first { $0.member == member }
  }

  /// The join of a new member was appended. It may have been applied already.
  ///
  /// - Parameter isIdentity: Whether its subject is noted until the log has stored the join, so
  ///   that a second device that joins meanwhile is the same member.
  mutating func joinAppended(_ joining: LogEntry.Joining, isIdentity: Bool) {
    pendingJoinCount += 1
    if isIdentity, let subject = joining.subject { joiningSubjects[ExactString(subject)] = joining }
  }

  /// The return of a member that has left was appended. It may have been applied already.
  mutating func returnAppended() { pendingJoinCount += 1 }

  /// An entry was applied.
  mutating func applied(_ body: LogEntry.Body) {
    switch body {
    case .joined(let joining):
      pendingJoinCount -= 1
      if let subject = joining.subject { joiningSubjects[ExactString(subject)] = nil }
    case .left(let member):
      absentSince[member] = nil
      postRates[member] = nil
    case .returned: pendingJoinCount -= 1
    // Only these begin or end a presence.
    default: break
    }
  }
}

/// Commands over HTTP.
extension Attendance {
  /// Counts a command of a member.
  mutating func countPost(
    of member: MemberID, at now: Int64, countMax: Int
  ) -> MessageRate.Verdict {
    postRates[member, default: MessageRate()].count(at: now, countMax: countMax)
  }
}
