import NIOCore

/// All rooms. Used on the event loop only.
final class Rooms {
  private let deltaOctets: Int
  private var rooms: [String: Room] = [:]

  init(deltaOctets: Int) { self.deltaOctets = deltaOctets }

  func room(at path: String) -> Room {
    if let room = rooms[path] { return room }
    let room = Room(deltaOctets: deltaOctets)
    rooms[path] = room
    return room
  }
}

/// Members that receive each other's taps.
final class Room {
  private let deltaOctets: Int
  private var members: [FrameWriter] = []
  private var revision = 0

  init(deltaOctets: Int) { self.deltaOctets = deltaOctets }

  func enter(_ member: FrameWriter) { members.append(member) }

  func leave(_ member: FrameWriter) { members.removeAll { $0 === member } }

  /// Handles a tap on a row: encodes a delta once and sends it to all members.
  func tap(row: Int, allocator: ByteBufferAllocator) {
    revision += 1
    let frame = delta(row: row, allocator: allocator)
    for member in members { member.send(frame) }
  }

  /// A frame with a delta of ``deltaOctets`` octets of JSON, as long as pickerd's for the same tap.
  private func delta(row: Int, allocator: ByteBufferAllocator) -> ByteBuffer {
    var frame = allocator.buffer(capacity: deltaOctets + 10)
    frame.writeInteger(UInt8(0x81))
    if deltaOctets < 126 {
      frame.writeInteger(UInt8(deltaOctets))
    } else if deltaOctets < 65_536 {
      frame.writeInteger(UInt8(126))
      frame.writeInteger(UInt16(deltaOctets))
    } else {
      frame.writeInteger(UInt8(127))
      frame.writeInteger(UInt64(deltaOctets))
    }
    let end = frame.writerIndex + deltaOctets
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
