package import CivilTime
import JSONText

/// The last accepted tap of a member on a range.
package struct RangeTap: Hashable, Sendable {
  package let member: MemberID
  package let at: Instant

  /// - Returns: `nil` for the host, whose taps belong to nobody.
  init?(_ actor: Actor, at instant: Instant) {
    if actor.member.isHost { return nil }
    (member, at) = (actor.member, instant)
  }
}

/// The stored form.
extension RangeTap {
  var tree: JSONTree {
    .object([.init("by", .string(member.text)), .init("at", .integer(Int(at.milliseconds)))])
  }

  /// Reads what ``tree`` wrote; `nil` for anything else.
  init?(tree: JSONTree) {
    guard let member = tree["by"]?.string,
      let at = tree["at"]?.integer.flatMap(Instant.init(stored:))
    else { return nil }
    (self.member, self.at) = (MemberID(member), at)
  }
}
