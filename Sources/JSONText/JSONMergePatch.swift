extension JSONTree {
  /// The document with a merge patch applied. An object in the patch replaces members, or removes
  /// them with `null`; any other value replaces the whole value.
  ///
  /// - Source: RFC 7396.
  package func merging(_ patch: JSONTree) -> JSONTree {
    guard case .object(let changes) = patch else { return patch }
    var members = self.members ?? []
    var places = Dictionary(
      members.indices.map { (ExactString(members[$0].key), $0) },
      uniquingKeysWith: { first, _ in first })
    var removed: Set<Int> = []
    for change in changes {
      let place = places[ExactString(change.key)]
      if case .null = change.value {
        if let place { removed.insert(place) }
      } else if let place {
        let value = members[place].value.merging(change.value)
        members[place] = Member(members[place].key, value)
      } else {
        places[ExactString(change.key)] = members.count
        members.append(Member(change.key, JSONTree.null.merging(change.value)))
      }
    }
    if removed.isEmpty { return .object(members) }
    return .object(members.indices.filter { !removed.contains($0) }.map { members[$0] })
  }
}
