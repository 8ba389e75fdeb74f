package import PickerSession

extension LogEntry {
  /// The size of the entry in memory, an estimate. Its stored size is about the same.
  package var byteCount: Int {
    switch body {
    case .joined(let joining): 224 + body.textByteCount + 2 * joining.secret.bytes.count
    case .roleChanged, .left, .returned: 104
    case .tick: 64
    case .revoked: 160 + body.textByteCount
    case .define(let change): 160 + body.textByteCount + (change.encoded?.json.count ?? 0)
    case .command, .note, .settle: 160 + body.textByteCount
    }
  }
}
