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

extension JSONTree {
  /// The merge patch that makes another document of this one. Neither may contain `null`, which a
  /// merge patch cannot set.
  package func mergePatch(to other: JSONTree) -> JSONTree {
    guard case .object(let before) = self, case .object(let after) = other else { return other }
    var known = Dictionary(
      before.map { (ExactString($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    var changes: [Member] = []
    for member in after {
      guard let value = known.removeValue(forKey: ExactString(member.key)) else {
        changes.append(member)
        continue
      }
      if value.isSameValue(as: member.value) { continue }
      changes.append(Member(member.key, value.mergePatch(to: member.value)))
    }
    for member in before where known[ExactString(member.key)] != nil {
      changes.append(Member(member.key, .null))
    }
    return .object(changes)
  }

  /// One merge patch instead of this one and a later one. Where this one removes a member and the
  /// later one adds an object, that object is merged over the member.
  package func composing(_ later: JSONTree) -> JSONTree {
    guard case .object(let changes) = later, case .object(var members) = self else { return later }
    var indices = Dictionary(
      members.indices.map { (ExactString(members[$0].key), $0) },
      uniquingKeysWith: { first, _ in first })
    for change in changes {
      if let index = indices[ExactString(change.key)] {
        let value = members[index].value.composing(change.value)
        members[index] = Member(members[index].key, value)
      } else {
        indices[ExactString(change.key)] = members.count
        members.append(change)
      }
    }
    return .object(members)
  }
}
