/// Parses TZif files, the compiled files of the time zone database.
///
/// - Source: RFC 9636 sections 3.1 to 3.3.
package struct TZifFile {
  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    mutating func take(_ count: Int) throws(ZoneDataError) -> ArraySlice<UInt8> {
      guard count <= bytes.count - offset else { throw ZoneDataError("the file is truncated") }
      defer { offset += count }
      return bytes[offset..<offset + count]
    }

    /// Reads a big-endian two's complement integer.
    mutating func number(byteCount: Int) throws(ZoneDataError) -> Int64 {
      let bytes = try take(byteCount)
      var value = Int64(Int8(bitPattern: bytes.first!))
      for byte in bytes.dropFirst() { value = value << 8 | Int64(byte) }
      return value
    }

    mutating func count() throws(ZoneDataError) -> Int {
      let value = try number(byteCount: 4)
      guard value >= 0 else { throw ZoneDataError("a count is out of range") }
      return Int(value)
    }
  }

  private struct Header {
    let hasLongTimes: Bool
    let isUTCount, isStandardCount, leapCount, timeCount, typeCount, nameCount: Int

    /// The length in bytes of the data block that follows.
    func blockSize(timeSize: Int) -> Int {
      timeCount * (timeSize + 1) + typeCount * 6 + nameCount + leapCount * (timeSize + 4)
        + isStandardCount + isUTCount
    }
  }

  /// Parses the 64-bit data block and the footer, or a version 1 file's data block.
  ///
  /// - Throws: ``ZoneDataError`` for a malformed file, and for one with leap seconds (the `right/`
  ///   zones), which an ``Instant`` does not count.
  package static func parse(
    _ bytes: [UInt8], name: String
  ) throws(ZoneDataError) -> ZoneRules {
    var reader = Reader(bytes: bytes)
    let header = try readHeader(&reader)
    guard header.hasLongTimes else {
      return try readBlock(&reader, header, timeSize: 4, name: name)
    }
    _ = try reader.take(header.blockSize(timeSize: 4))
    let long = try readHeader(&reader)
    return try readBlock(&reader, long, timeSize: 8, name: name)
  }

  private static func readHeader(_ reader: inout Reader) throws(ZoneDataError) -> Header {
    guard try reader.take(4).elementsEqual("TZif".utf8) else {
      throw ZoneDataError("not a TZif file")
    }
    let mark = try reader.take(1).first!
    _ = try reader.take(15)
    let isUT = try reader.count()
    let isStandard = try reader.count()
    let leap = try reader.count()
    let time = try reader.count()
    let type = try reader.count()
    let name = try reader.count()
    return Header(
      hasLongTimes: mark >= UInt8(ascii: "2"), isUTCount: isUT, isStandardCount: isStandard,
      leapCount: leap, timeCount: time, typeCount: type, nameCount: name)
  }

  private static func readBlock(
    _ reader: inout Reader, _ header: Header, timeSize: Int, name: String
  ) throws(ZoneDataError) -> ZoneRules {
    guard header.leapCount == 0 else { throw ZoneDataError("leap seconds are not supported") }
    guard header.typeCount > 0 else { throw ZoneDataError("the file has no local time type") }
    guard header.blockSize(timeSize: timeSize) <= reader.bytes.count - reader.offset else {
      throw ZoneDataError("the file is truncated")
    }
    var instants: [Int64] = []
    for _ in 0..<header.timeCount {
      let instant = try reader.number(byteCount: timeSize)
      if let last = instants.last, instant <= last {
        throw ZoneDataError("transitions are not in ascending order")
      }
      instants.append(instant)
    }
    let types = try reader.take(header.timeCount).map(Int.init)
    let offsets = try readOffsets(&reader, count: header.typeCount)
    guard types.allSatisfy({ $0 < offsets.count }) else {
      throw ZoneDataError("a transition refers to a local time type that does not exist")
    }
    _ = try reader.take(header.nameCount + header.isStandardCount + header.isUTCount)
    let footer = timeSize == 8 ? try readFooter(&reader) : nil
    return ZoneRules(
      name: name, initialOffsetSeconds: offsets[0],
      transitions: zip(instants, types).map { ($0, offsets[$1]) }, footer: footer)
  }

  private static func readOffsets(
    _ reader: inout Reader, count: Int
  ) throws(ZoneDataError) -> [Int] {
    var offsets: [Int] = []
    for _ in 0..<count {
      let offset = Int(try reader.number(byteCount: 4))
      guard (-89_999...93_599).contains(offset) else {
        throw ZoneDataError("an offset is out of range")
      }
      offsets.append(offset)
      // The daylight saving flag and the index of the abbreviation are not used.
      _ = try reader.take(2)
    }
    return offsets
  }

  private static func readFooter(_ reader: inout Reader) throws(ZoneDataError) -> PosixZoneRule? {
    let newline = UInt8(ascii: "\n")
    guard try reader.take(1).first == newline,
      let end = reader.bytes[reader.offset...].firstIndex(of: newline)
    else { throw ZoneDataError("the footer is missing") }
    let text = reader.bytes[reader.offset..<end]
    return text.isEmpty ? nil : try PosixZoneRule.parse(text)
  }
}
