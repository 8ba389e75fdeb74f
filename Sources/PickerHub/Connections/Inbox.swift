import PickerWire

/// Messages buffered while a connection's session or history is loaded.
final class Inbox {
  private(set) var messages: [[UInt8]] = []
  /// The bytes of the messages, plus 64 for the overhead of each.
  private(set) var byteCount = 0
  private let total: HubBuffers

  /// - Parameter total: The buffers of the hub, in which the messages count, too.
  init(total: HubBuffers) { self.total = total }

  deinit { total.inboxBytes -= byteCount }

  func append(_ text: Span<UInt8>) {
    messages.append(text.withUnsafeBufferPointer { Array($0) })
    let size = text.count + 64
    byteCount += size
    total.inboxBytes += size
  }
}
