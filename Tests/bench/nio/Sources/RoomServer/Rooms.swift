import NIOCore

/// All rooms. Used on the event loop only.
final class Rooms {
  private let deltaBytes: Int
  private var rooms: [String: Room] = [:]

  init(deltaBytes: Int) { self.deltaBytes = deltaBytes }

  func room(at path: String) -> Room {
    if let room = rooms[path] { return room }
    let room = Room(deltaBytes: deltaBytes)
    rooms[path] = room
    return room
  }
}

/// Members that receive each other's taps.
final class Room {
  private let deltaBytes: Int
  private var members: [FrameWriter] = []
  private var revision = 0

  init(deltaBytes: Int) { self.deltaBytes = deltaBytes }

  func enter(_ member: FrameWriter) { members.append(member) }

  func leave(_ member: FrameWriter) { members.removeAll { $0 === member } }

  /// Handles a tap on a row: encodes a delta once and sends it to all members.
  func tap(row: Int, allocator: ByteBufferAllocator) {
    revision += 1
    let frame = delta(row: row, allocator: allocator)
    for member in members { member.send(frame) }
  }

  /// A frame with a delta of ``deltaBytes`` bytes of JSON, as long as pickerd's for the same tap.
  private func delta(row: Int, allocator: ByteBufferAllocator) -> ByteBuffer {
    var frame = allocator.buffer(capacity: deltaBytes + 10)
    frame.writeInteger(UInt8(0x81))
    if deltaBytes < 126 {
      frame.writeInteger(UInt8(deltaBytes))
    } else if deltaBytes < 65_536 {
      frame.writeInteger(UInt8(126))
      frame.writeInteger(UInt16(deltaBytes))
    } else {
      frame.writeInteger(UInt8(127))
      frame.writeInteger(UInt64(deltaBytes))
    }
    let end = frame.writerIndex + deltaBytes
    frame.writeStaticString(#"{"type":"delta","revision":"#)
    frame.writeString(String(revision))
    frame.writeStaticString(#","changes":[{"change":"row","column":0,"row":"#)
    frame.writeString(String(row))
    frame.writeStaticString(#","text":""#)
    frame.writeRepeatingByte(UInt8(ascii: "x"), count: end - frame.writerIndex - 4)
    frame.writeStaticString(#""}]}"#)
    return frame
  }
}
