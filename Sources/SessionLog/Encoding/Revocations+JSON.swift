import CivilTime
import JSONText
import PickerSession

/// `{"issuedBefore","madeAt"}` in milliseconds, with `subject` or `member` unless it concerns
/// everyone.
extension Revocation {
  var tree: JSONTree {
    .object(
      target.members + [
        .init("issuedBefore", .integer(Int(issuedBefore.milliseconds))),
        .init("madeAt", .integer(Int(madeAt.milliseconds))),
      ])
  }

  init?(tree: JSONTree) {
    guard let issuedBefore = tree["issuedBefore"]?.integer, let madeAt = tree["madeAt"]?.integer
    else { return nil }
    self.init(
      Target(tree: tree), issuedBefore: Instant(milliseconds: Int64(issuedBefore)),
      madeAt: Instant(milliseconds: Int64(madeAt)))
  }
}

extension Revocation.Target {
  fileprivate var members: [JSONTree.Member] {
    switch self {
    case .subject(let subject): [.init("subject", .string(subject))]
    case .member(let member): [.init("member", .string(member.text))]
    case .everyone: []
    }
  }

  fileprivate init(tree: JSONTree) {
    if let subject = tree["subject"]?.string {
      self = .subject(subject)
    } else if let member = tree["member"]?.string {
      self = .member(MemberID(member))
    } else {
      self = .everyone
    }
  }
}

/// `{"subject","role"}` or `{"member","role"}`.
extension HostRole {
  var tree: JSONTree { .object(target.members + [.init("role", .string(role.rawValue))]) }

  init?(tree: JSONTree) {
    guard let role = tree["role"]?.string.flatMap(Role.init(rawValue:)) else { return nil }
    self.init(Revocation.Target(tree: tree), role)
  }
}

extension Revocations {
  var tree: JSONTree {
    var members: [JSONTree.Member] = [.init("targeted", .array(targeted.map(\.tree)))]
    for (name, instant) in [("everyoneBefore", everyoneBefore), ("latest", latest)] {
      if let instant { members.append(.init(name, .integer(Int(instant.milliseconds)))) }
    }
    return .object(members)
  }

  init?(tree: JSONTree) {
    guard let trees = tree["targeted"]?.array else { return nil }
    let targeted = trees.compactMap(Revocation.init(tree:))
    guard targeted.count == trees.count else { return nil }
    func instant(_ name: String) -> Instant? {
      tree[name]?.integer.map { Instant(milliseconds: Int64($0)) }
    }
    self.init(
      targeted: targeted, everyoneBefore: instant("everyoneBefore"), latest: instant("latest"))
  }
}
