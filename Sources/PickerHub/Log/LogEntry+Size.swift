package import PickerSession

extension LogEntry {
  /// Bytes that the entry takes in memory, and about those that it takes when it is stored.
  package var byteCount: Int {
    switch body {
    case .joined(let joining): 224 + body.textByteCount + 2 * joining.secret.bytes.count
    case .roleChanged, .left, .returned: 104
    case .tick: 64
    case .command, .define, .note: 160 + body.textByteCount
    }
  }
}
