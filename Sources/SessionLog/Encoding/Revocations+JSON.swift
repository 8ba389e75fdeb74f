import CivilTime
import JSONText
import PickerSession

/// `{"issuedBefore","madeAt"}` in milliseconds, with `subject` or `member` unless it concerns
/// everyone.
extension Revocation {
  var tree: JSONTree {
    let times: [JSONTree.Member] = [
      .init("issuedBefore", .integer(Int(issuedBefore.milliseconds))),
      .init("madeAt", .integer(Int(madeAt.milliseconds))),
    ]
    switch target {
    case .subject(let subject): return .object([.init("subject", .string(subject))] + times)
    case .member(let member): return .object([.init("member", .string(member.text))] + times)
    case .everyone: return .object(times)
    }
  }

  init?(tree: JSONTree) {
    guard let issuedBefore = tree["issuedBefore"]?.integer, let madeAt = tree["madeAt"]?.integer
    else { return nil }
    let target: Target
    if let subject = tree["subject"]?.string {
      target = .subject(subject)
    } else if let member = tree["member"]?.string {
      target = .member(MemberID(member))
    } else {
      target = .everyone
    }
    self.init(
      target, issuedBefore: Instant(milliseconds: Int64(issuedBefore)),
      madeAt: Instant(milliseconds: Int64(madeAt)))
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
