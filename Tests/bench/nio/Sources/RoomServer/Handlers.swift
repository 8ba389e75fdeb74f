import Glibc
import NIOCore
import NIOWebSocket

/// Writes complete frames to the socket. Used on the event loop only.
final class FrameWriter: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  /// Sends immediately; NIO buffers what the socket does not accept.
  func send(_ frame: ByteBuffer) {
    context?.writeAndFlush(NIOAny(frame), promise: nil)
  }
}

/// Handles a member's messages: a join, pings and taps.
final class MemberHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let writer: FrameWriter
  private let room: Room

  init(writer: FrameWriter, room: Room) {
    self.writer = writer
    self.room = room
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: receive(frame.unmaskedData, context)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    room.leave(writer)
    context.fireChannelInactive()
  }

  /// `{"type":"join"…` joins the room; every other message is a tap.
  private func receive(_ text: ByteBuffer, _ context: ChannelHandlerContext) {
    text.withUnsafeReadableBytes { bytes in
      guard bytes.count > 10, bytes[9] == UInt8(ascii: "j") else {
        return room.tap(row: row(in: bytes), allocator: context.channel.allocator)
      }
      room.enter(writer)
      let welcome = ByteBuffer(staticString: #"{"type":"welcome"}"#)
      let frame = WebSocketFrame(fin: true, opcode: .text, data: welcome)
      context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
  }

  /// Parses only the row of a tap.
  private func row(in bytes: UnsafeRawBufferPointer) -> Int {
    let name: StaticString = #""row":"#
    let count = name.utf8CodeUnitCount
    guard bytes.count > count else { return 0 }
    for start in 0..<(bytes.count - count) {
      guard bytes[start] == UInt8(ascii: "\""),
        memcmp(bytes.baseAddress! + start, name.utf8Start, count) == 0
      else { continue }
      var row = 0
      for byte in bytes[(start + count)...] {
        guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
        row = row * 10 + Int(byte - UInt8(ascii: "0"))
      }
      return row
    }
    return 0
  }
}
