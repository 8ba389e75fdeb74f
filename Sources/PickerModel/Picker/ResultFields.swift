import CivilTime
package import JSONText

/// A whole value, given in the fields in which a ``PickerResult`` has it.
///
/// Which fields count depends on the picker, so that all of them are read before it is known.
/// - Source: web/guide/README.md, "Set".
package struct ResultFields: Hashable, Sendable {
  /// Of a `date`, and of a `calendar` with single days.
  private(set) var date: CivilDate?
  /// Of a `slot`: `instant` if it is there, else `local`.
  private(set) var time: TakenTimes.Moment?
  /// Of a `cascade` and of `columns`.
  private(set) var keys: [String]?
  /// Of a range or a stay.
  private(set) var start: CivilDate?
  private(set) var end: CivilDate?

  /// One column and one character more than a picker can have: what is longer still fits none.
  private static let keyCountMax = DefinitionLimits().columnsMax + 1
  private static let keyCharactersMax = DefinitionLimits().textCharactersMax + 1

  /// - Parameter tree: An object; fields that no result needs are ignored.
  /// - Throws: ``BadField`` for a field with a value of another type.
  package init(_ tree: JSONTree) throws(BadField) {
    guard tree.members != nil else { throw BadField("", "must be an object, as results are") }
    date = try ResultFields.date("date", tree)
    time = try ResultFields.time("local", tree, isLocal: true)
    time = try ResultFields.time("instant", tree, isLocal: false) ?? time
    keys = try ResultFields.keys(tree["keys"])
    start = try ResultFields.date("start", tree)
    end = try ResultFields.date("end", tree)
  }

  private static func date(_ name: String, _ tree: JSONTree) throws(BadField) -> CivilDate? {
    guard let value = tree[name] else { return nil }
    guard let date = value.string.flatMap({ CivilDate(iso: $0.utf8) }) else {
      throw BadField("/\(name)", "must be a valid date like 2026-11-20")
    }
    return date
  }

  private static func time(
    _ name: String, _ tree: JSONTree, isLocal: Bool
  ) throws(BadField) -> TakenTimes.Moment? {
    guard let value = tree[name] else { return nil }
    switch value.string.flatMap(TakenTimes.Moment.init) {
    case .local(let date, let minute) where isLocal: return .local(date, minute: minute)
    case .instant(let instant, _) where !isLocal:
      return .instant(instant, text: instant.rfc3339)
    case .local, .instant, nil:
      throw BadField(
        "/\(name)",
        isLocal
          ? "must be a local time like 2026-12-03T14:20"
          : "must be an instant like 2026-12-03T13:20:00Z")
    }
  }

  private static func keys(_ tree: JSONTree?) throws(BadField) -> [String]? {
    guard let tree else { return nil }
    guard let elements = tree.array else { throw BadField("/keys", "must be an array of strings") }
    var keys: [String] = []
    for (index, element) in elements.enumerated() {
      guard let key = element.string else { throw BadField("/keys/\(index)", "must be a string") }
      guard index < keyCountMax else { continue }
      keys.append(String(String.UnicodeScalarView(key.unicodeScalars.prefix(keyCharactersMax))))
    }
    return keys
  }

  /// The fields as JSON.
  package var tree: JSONTree {
    var time: JSONTree.Member?
    if let moment = self.time {
      time = .init(moment.isLocal ? "local" : "instant", .string(moment.text))
    }
    return .object(
      [
        date.map { .init("date", .string($0.iso)) }, time,
        keys.map { .init("keys", .array($0.map(JSONTree.string))) },
        start.map { .init("start", .string($0.iso)) }, end.map { .init("end", .string($0.iso)) },
      ].compactMap { $0 })
  }

  /// The memory of the texts, in bytes.
  package var byteCount: Int { 32 + (keys ?? []).reduce(0) { $0 + $1.utf8.count } }

  /// Whether results of `definition` have such fields.
  package func fit(_ definition: Definition) -> Bool {
    switch definition.rules {
    case .date: date != nil
    case .slot: time != nil
    case .cascade, .columns: keys != nil
    case .calendar(let kind): kind.days(of: self) != nil
    case .availability: false
    }
  }

  /// A field with a value of another type.
  package struct BadField: Error, Hashable, Sendable {
    /// A JSON Pointer from the result; empty for the whole.
    package let pointer: String
    /// What would be right: `must be …`.
    package let wanted: String

    fileprivate init(_ pointer: String, _ wanted: String) {
      (self.pointer, self.wanted) = (pointer, wanted)
    }
  }
}

extension Refusal {
  /// A whole value with the fields of another kind.
  init(wrongResultFor kind: PickerKind) {
    self.init(.wrongKind, "the result is not one of this \(kind) picker")
  }
}
