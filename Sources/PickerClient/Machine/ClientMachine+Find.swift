import JSONText

/// Finding rows by their texts.
///
/// - Source: web/guide/README.md, "Find".
extension ClientMachine {
  private static let textCharactersMax = 64

  /// The number of the next search.
  public var nextFind: Int { lastFind + 1 }

  mutating func find(_ text: String, column: Int, limit: Int) {
    endFind(.failure(.replaced))
    lastFind += 1
    isFinding = true
    guard 1...ClientMachine.textCharactersMax ~= text.unicodeScalars.count else {
      return endFind(.failure(.badValue))
    }
    guard state.connection == .live else { return endFind(.failure(.offline)) }
    let message = JSONTree.object([
      .init("type", .string("find")), .init("id", .integer(lastFind)),
      .init("column", .integer(column)), .init("text", .string(text)),
      .init("limit", .integer(limit)),
    ])
    effects.append(.send(String(decoding: message.serialized(), as: UTF8.self)))
  }

  /// Settles the search that has no answer, if there is one.
  mutating func endFind(_ result: Result<PickerFound, PickerFailure>) {
    guard isFinding else { return }
    isFinding = false
    effects.append(.found(id: lastFind, result))
  }

  mutating func found(_ message: JSONTree) throws {
    let found = try PickerFound(message)
    guard try message.number("id") == lastFind else { return }
    state.note(found)
    endFind(.success(found))
  }

  /// - Returns: Whether a refusal is that of a search.
  mutating func refusedFind(_ message: JSONTree) throws -> Bool {
    guard let id = message["id"]?.integer, message["ref"] == nil else { return false }
    guard id == lastFind else { return true }
    let code = RefusalCode(rawValue: try message.text("code"))
    endFind(.failure(.refused(code, detail: message["detail"]?.string ?? "")))
    return true
  }
}

extension PickerState {
  /// Makes the rows found known, as those to which a selection has moved: without their notes.
  mutating func note(_ found: PickerFound) {
    guard columns.indices.contains(found.column),
      columns[found.column].generation == found.generation
    else { return }
    for row in found.rows {
      columns[found.column].put(moved: PickerRow(key: row.key, text: row.text), at: row.index)
    }
  }
}
