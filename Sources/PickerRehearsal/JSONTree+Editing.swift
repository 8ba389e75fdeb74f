import JSONText

extension JSONTree {
  /// This object with the value at a path of names replaced.
  func with(_ value: JSONTree, at path: String...) -> JSONTree { with(value, at: path[...]) }

  private func with(_ value: JSONTree, at path: ArraySlice<String>) -> JSONTree {
    guard let name = path.first else { return value }
    let inner = (self[name] ?? .null).with(value, at: path.dropFirst())
    let rest = (members ?? []).filter { $0.key != name }
    return .object(rest + [Member(name, inner)])
  }

  /// This message with additional members, and with `change` before its `changes`.
  func adding(_ more: [Member], change: JSONTree? = nil) -> JSONTree {
    var result = JSONTree.object((members ?? []) + more)
    if let change, let changes = self["changes"]?.array {
      result = result.with(.array([change] + changes), at: "changes")
    }
    return result
  }
}
