import JSONText
package import PickerSession

extension LogEntry {
  /// See ``LogRecord/needsBudget``.
  package var needsBudget: Bool {
    switch body {
    case .command, .define, .note, .adopted, .joined, .roleChanged, .returned: true
    case .left, .tick, .clockSet, .revoked, .roleSet, .settle: false
    }
  }

  /// Whether ``memoryByteCount`` is ``byteCount``.
  package var isCommand: Bool { if case .command = body { true } else { false } }

  /// The size of the entry in memory, an estimate. Its stored size is about the same.
  package var byteCount: Int {
    switch body {
    case .joined(let joining): 224 + body.textByteCount + 2 * joining.secret.bytes.count
    case .roleChanged, .left, .returned: 104
    case .tick, .clockSet: 64
    case .revoked, .roleSet: 160 + body.textByteCount
    case .define(let change): 160 + body.textByteCount + (change.encoded?.json.count ?? 0)
    case .command: 160 + body.textByteCount + (op?.utf8.count ?? 0)
    case .note, .adopted, .settle: 160 + body.textByteCount
    }
  }

  /// The memory of the entry in a log that retains it, in bytes, an estimate. Unlike a pending
  /// entry, it may be the only owner of a definition.
  package var memoryByteCount: Int {
    switch body {
    case .define(let change): byteCount + change.definition.byteCount + change.source.byteCount
    case .note(let patch): byteCount + patch.tree.byteCount
    case .adopted(let adoption):
      byteCount + (adoption.define?.definition.byteCount ?? 0)
        + (adoption.define?.source.byteCount ?? 0) + (adoption.notes?.tree.byteCount ?? 0)
    case .command, .joined, .left, .returned, .revoked, .roleChanged, .roleSet, .settle,
      .tick, .clockSet:
      byteCount
    }
  }
}

extension DefinitionChange.Source {
  fileprivate var byteCount: Int {
    switch self {
    case .whole: 0
    case .mergePatch(let patch), .jsonPatch(let patch): patch.byteCount
    }
  }
}
