import JSONText
import PickerServer
import PickerSession

extension KeyFile {
  /// The content of a JSON file with these keys, one per line.
  var json: [UInt8] {
    var text = Array("{\"keys\":[".utf8)
    for (index, key) in keys.enumerated() {
      text += Array((index > 0 ? ",\n" : "\n").utf8) + key.tree.serialized()
    }
    return text + Array((keys.isEmpty ? "]}\n" : "\n]}\n").utf8)
  }
}

extension HostKey {
  /// The key as an entry of the list `keys`.
  var tree: JSONTree {
    var members: [JSONTree.Member] = [
      .init("id", .string(id)),
      .init(
        "scopes",
        .array(KeyScope.allCases.filter(scopes.contains).map { .string($0.rawValue) })),
    ]
    if let secret { members.append(.init("sha256", .string(Hexadecimal.encode(secret.bytes)))) }
    if let notAfter { members.append(.init("notAfter", .string(notAfter.rfc3339Seconds))) }
    if !networks.isEmpty {
      members.append(.init("networks", .array(networks.map { .string($0) })))
    }
    if let namespace { members.append(.init("namespace", .string(namespace))) }
    switch signing {
    case .shared(let secret):
      members += [.init("alg", .string("HS256")), .init("secret", .string(secret))]
    case .published(let key):
      members += [
        .init("alg", .string(key.algorithm.rawValue)), .init("publicKey", .string(key.pem)),
      ]
    case nil: break
    }
    return .object(members)
  }
}
