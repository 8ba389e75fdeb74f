/// Messages buffered while a connection's session or history is loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// The bytes of the messages, plus 64 for the overhead of each.
  private(set) var byteCount = 0

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    byteCount += text.count + 64
  }
}
