import CivilTime
import JSONText
import PickerModel
import PickerSession

extension Revocation: StoredObject {
  static let fields = StoredFields<Revocation>(
    .init("subject", \.target.subject), .init("member", \.target.member),
    .init("issuedBefore", \.issuedBefore), .init("madeAt", \.madeAt)
  ) { Revocation(Target($0, $1), issuedBefore: $2, madeAt: $3) }
}

extension HostRole: StoredObject {
  static let fields = StoredFields<HostRole>(
    .init("subject", \.target.subject), .init("member", \.target.member), .init("role", \.role)
  ) { HostRole(Revocation.Target($0, $1), $2) }
}

/// The fields of a target; it is everyone without both.
extension Revocation.Target {
  fileprivate var subject: String? { if case .subject(let subject) = self { subject } else { nil } }
  fileprivate var member: MemberID? { if case .member(let member) = self { member } else { nil } }

  fileprivate init(_ subject: String?, _ member: MemberID?) {
    self = subject.map(Self.subject) ?? member.map(Self.member) ?? .everyone
  }
}

extension HostRoles: Stored {
  static let absent: HostRoles? = HostRoles()
  var tree: JSONTree { roles.tree }

  init?(tree: JSONTree) {
    guard let roles = [HostRole](tree: tree) else { return nil }
    self.init(roles)
  }
}

extension Revocations: StoredObject {
  static let absent: Revocations? = Revocations()
  static let fields = StoredFields<Revocations>(
    .init("targeted", \.targeted), .init("everyoneBefore", \.everyoneBefore),
    .init("latest", \.latest)
  ) { Revocations(targeted: $0, everyoneBefore: $1, latest: $2) }
}
