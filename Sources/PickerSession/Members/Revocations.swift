package import CivilTime
import JSONText
package import PickerModel

/// A revocation: it closes the connections of the members concerned, and refuses their tokens that
/// were issued before an instant.
///
/// Its times are those of the machine's clock, not of the session's, like the times in tokens.
/// - Source: web/guide/README.md, "Let your users in".
package struct Revocation: Hashable, Sendable {
  package enum Target: Hashable, Sendable {
    /// The tokens with this `sub`.
    case subject(String)
    /// The tokens of a member; also those with its subject, if it has one.
    case member(MemberID)
    /// All tokens of the session.
    case everyone

    package static func == (left: Target, right: Target) -> Bool {
      switch (left, right) {
      case (.subject(let left), .subject(let right)): left.isExactly(right)
      case (.member(let left), .member(let right)): left == right
      case (.everyone, .everyone): true
      case (.subject, _), (.member, _), (.everyone, _): false
      }
    }

    package func concerns(subject: String?, member: MemberID?) -> Bool {
      switch self {
      case .subject(let revoked): subject.isExactly(revoked)
      case .member(let revoked): revoked == member
      case .everyone: true
      }
    }
  }

  package let target: Target
  package let issuedBefore: Instant
  package let madeAt: Instant

  package init(_ target: Target, issuedBefore: Instant, madeAt: Instant) {
    self.target = target
    self.issuedBefore = issuedBefore
    self.madeAt = madeAt
  }
}

/// The revocations of a session.
///
/// Bounded in count: over ``countMax`` the oldest one is replaced by one for all tokens, so that a
/// revoked token is never accepted again.
package struct Revocations: Hashable, Sendable {
  package static let countMax = 256

  /// The revocations of subjects and members, one per target, the latest last.
  package private(set) var targeted: [Revocation]
  /// The latest `issuedBefore` of a revocation of all tokens.
  package private(set) var everyoneBefore: Instant?
  /// The time of the last revocation; each one has a later time than those before it in the log,
  /// whatever the clocks of the nodes that made them.
  package private(set) var latest: Instant?

  package init(
    targeted: [Revocation] = [], everyoneBefore: Instant? = nil, latest: Instant? = nil
  ) {
    self.targeted = targeted
    self.everyoneBefore = everyoneBefore
    self.latest = latest
  }

  package var isEmpty: Bool { latest == nil }

  /// - Parameter subject: The subject of the revoked member, whose tokens are revoked as well.
  mutating func add(_ revocation: Revocation, alsoOf subject: String? = nil) {
    latest = max(latest?.adding(milliseconds: 1) ?? revocation.madeAt, revocation.madeAt)
    revoke(revocation)
    guard let subject else { return }
    revoke(
      Revocation(
        .subject(subject), issuedBefore: revocation.issuedBefore, madeAt: revocation.madeAt))
  }

  private mutating func revoke(_ revocation: Revocation) {
    if case .everyone = revocation.target { return revokeEveryone(revocation.issuedBefore) }
    var added = revocation
    if let index = targeted.firstIndex(where: { $0.target == revocation.target }) {
      let known = targeted.remove(at: index)
      if known.issuedBefore > revocation.issuedBefore { added = known }
    }
    targeted.append(added)
    if targeted.count > Revocations.countMax {
      revokeEveryone(targeted.removeFirst().issuedBefore)
    }
  }

  private mutating func revokeEveryone(_ issuedBefore: Instant) {
    everyoneBefore = max(everyoneBefore ?? issuedBefore, issuedBefore)
  }

  /// Whether a token is revoked. A token without `iat` is revoked by every revocation with its
  /// target, because it could have been issued at any time.
  package func revokes(
    tokenIssuedAt issuedAt: Instant?, subject: String?, member: MemberID?
  ) -> Bool {
    var before = everyoneBefore
    for revocation in targeted where revocation.target.concerns(subject: subject, member: member) {
      before = max(before ?? revocation.issuedBefore, revocation.issuedBefore)
    }
    guard let before else { return false }
    return issuedAt.map { $0 < before } ?? true
  }
}

extension SessionFold {
  mutating func revoke(_ revocation: Revocation, _ effects: inout [Effect]) {
    var subject: String?
    if case .member(let id) = revocation.target {
      subject = (members[id] ?? remembered.member(id))?.subject
    }
    facts.revocations.add(revocation, alsoOf: subject)
    effects.append(.revoked(revocation.target))
    if let subject { effects.append(.revoked(.subject(subject))) }
  }
}
