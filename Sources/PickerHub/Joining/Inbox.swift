/// The buffered messages of a connection whose session is being loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// The bytes of the messages, plus 64 for the overhead of each.
  private(set) var byteCount = 0

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    byteCount += text.count + 64
  }
}
