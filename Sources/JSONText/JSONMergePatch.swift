extension JSONTree {
  /// The document with a merge patch applied. An object in the patch replaces members, or removes
  /// them with `null`; any other value replaces the whole value.
  ///
  /// - Source: RFC 7396.
  package func merging(_ patch: JSONTree) -> JSONTree {
    guard case .object(let changes) = patch else { return patch }
    var members = self.members ?? []
    var indices = Dictionary(
      members.indices.map { (ExactString(members[$0].key), $0) },
      uniquingKeysWith: { first, _ in first })
    var removed: Set<Int> = []
    for change in changes {
      let index = indices[ExactString(change.key)]
      if case .null = change.value {
        if let index { removed.insert(index) }
      } else if let index {
        let value = members[index].value.merging(change.value)
        members[index] = Member(members[index].key, value)
      } else {
        indices[ExactString(change.key)] = members.count
        members.append(Member(change.key, JSONTree.null.merging(change.value)))
      }
    }
    if removed.isEmpty { return .object(members) }
    return .object(members.indices.filter { !removed.contains($0) }.map { members[$0] })
  }
}
