package import CivilTime
import JSONText
package import PickerModel
package import PickerSession

/// Encodes the messages to members as frames, which any number of outboxes can share.
///
/// Reuses its buffers, so an encoder belongs to one event loop.
///
/// - Source: web/client/api/asyncapi.json.
package final class MessageEncoder {
  private var writer = JSONWriter(capacity: 4096)
  private var cache = RowsCache(count: 64)
  private var instants = InstantWriter()
  private var spare: Frame?
  private static let spareBytesMax = 4096
  private var bandWriter = JSONWriter(capacity: 4096)
  private var wholeMonths = WholeMonths()
  /// The number of times that a delta was encoded, to test that the fan-out encodes once per
  /// language.
  package private(set) var deltaEncodeCount = 0
  /// The number of times that a month was encoded, to test that the fan-out encodes once per
  /// language.
  package internal(set) var monthEncodeCount = 0
  package let limits: ServerLimits

  package init(limits: ServerLimits) { self.limits = limits }

  private var windowRows: Int { limits.session.windowRows }

  private func frame(_ kind: FrameKind, _ build: (inout JSONWriter) -> Void) -> Frame {
    writer.clear()
    build(&writer)
    return Frame(writer, kind)
  }

  /// The first message to a connection.
  ///
  /// - Parameters:
  ///   - member: `nil` for an anonymous observer.
  ///   - secret: The member's secret, which `resume` needs.
  ///   - revision: The revision at which the client resumes; the missed deltas must follow. `nil`
  ///     if the welcome is to contain a snapshot.
  ///   - token: How long the member's token is valid; `nil` for other credentials.
  ///   - now: The time of the clock. What is sent is never before the session's latest time: the
  ///     clock of a former owner may have been ahead.
  package func welcome(
    _ member: Member?, secret: String, in session: Session, resumedAt revision: Int?,
    token: TokenLifetime? = nil, sight: Sight = .everything, texts: any RowTexts, now: Instant
  ) -> Frame {
    frame(.welcome(revision: revision ?? session.fold.revision)) { writer in
      writer.literal("{\"type\":\"welcome\"")
      if let member {
        writer.welcomed(member, secret: secret)
        writer.ref(session.greatestRef(of: member.id))
      }
      writer.literal(",\"locale\":", texts.tag)
      writer.literal(",\"epoch\":", session.fold.origin.epoch)
      writer.literal(",\"revision\":", revision ?? session.fold.revision)
      writer.literal(",\"resumed\":", revision != nil)
      if revision == nil {
        writer.literal(",\"snapshot\":")
        writer.snapshot(session.fold, sight: sight, texts: texts, windowRows: windowRows)
      }
      writer.literal(",\"members\":")
      writer.members(of: session)
      writer.now(max(now, session.latestTime))
      if let token {
        writer.literal(",\"token\":{")
        writer.lifetime(token)
        writer.literal("}")
      }
      writer.literal(",\"limits\":{")
      for (index, limit) in limits.announced.enumerated() {
        if index > 0 { writer.literal(",") }
        writer.literal("\"")
        writer.literal(limit.name)
        writer.literal("\":", limit.value)
      }
      writer.literal("}}")
    }
  }

  /// A `snapshot` message: the whole state, for a connection whose pending deltas were dropped.
  package func snapshot(
    of session: Session, sight: Sight = .everything, texts: any RowTexts, now: Instant
  ) -> Frame {
    frame(.snapshot(revision: session.fold.revision)) { writer in
      writer.literal("{\"type\":\"snapshot\",\"revision\":", session.fold.revision)
      writer.literal(",\"status\":", session.fold.status.rawValue)
      writer.literal(",\"snapshot\":")
      writer.snapshot(session.fold, sight: sight, texts: texts, windowRows: windowRows)
      writer.literal(",\"members\":")
      writer.members(of: session)
      writer.now(max(now, session.latestTime))
      writer.literal("}")
    }
  }

  /// Encodes a delta in one language. Then call ``frame(_:ref:bands:)`` for each distinct copy.
  package func encode(
    _ delta: Delta, sight: Sight = .everything, texts: any RowTexts
  ) -> EncodedDelta {
    let offsets = write(delta, ref: nil, bands: [], sight, texts)
    return EncodedDelta(frame: reusedFrame(.delta(revision: delta.revision)), offsets: offsets)
  }

  /// A frame with the written text: that of the last delta, if nobody has it any more.
  private func reusedFrame(_ kind: FrameKind) -> Frame {
    if isKnownUniquelyReferenced(&spare), let spare, spare.refill(writer.rawBytes, kind) {
      return spare
    }
    let frame = Frame(writer, kind)
    if frame.count <= MessageEncoder.spareBytesMax { spare = frame }
    return frame
  }

  /// Encodes a delta that has a single recipient, without the intermediate ``EncodedDelta``.
  ///
  /// - Parameter ref: The ref of the command if the recipient is the author; otherwise `nil`.
  package func frame(
    of delta: Delta, ref: Int?, bands: [UInt8] = [], sight: Sight = .everything,
    texts: any RowTexts
  ) -> Frame {
    _ = write(delta, ref: ref, bands: bands, sight, texts)
    return Frame(writer, .delta(revision: delta.revision))
  }

  /// The same without a frame.
  ///
  /// - Returns: The message, valid until the next call of the encoder. The ``Frame/headroom`` bytes
  ///   before it may be overwritten.
  package func message(
    of delta: Delta, ref: Int?, bands: [UInt8]? = nil, sight: Sight = .everything,
    texts: any RowTexts
  ) -> UnsafeRawBufferPointer {
    deltaEncodeCount += 1
    writer.clear()
    writer.raw(count: Frame.headroom) { _ in }
    _ = writer.delta(
      delta, ref: ref, bands: bands, sight: sight, texts: texts, windowRows: windowRows, &cache,
      &instants)
    return UnsafeRawBufferPointer(rebasing: writer.rawBytes[Frame.headroom...])
  }

  private func write(
    _ delta: Delta, ref: Int?, bands: [UInt8], _ sight: Sight, _ texts: any RowTexts
  ) -> EncodedDelta.Offsets {
    deltaEncodeCount += 1
    writer.clear()
    return writer.delta(
      delta, ref: ref, bands: bands, sight: sight, texts: texts, windowRows: windowRows, &cache,
      &instants)
  }

  /// A copy of an encoded delta. Without `ref` and `bands` it is the shared frame itself.
  ///
  /// - Parameters:
  ///   - ref: The ref of the command if the recipient is the author; otherwise `nil`.
  ///   - bands: The result of ``bands(_:)`` or ``dayNotes(of:in:texts:)`` for the months that the
  ///     recipients display.
  package func frame(_ delta: EncodedDelta, ref: Int?, bands: [UInt8] = []) -> Frame {
    if ref == nil && bands.isEmpty { return delta.frame }
    writer.clear()
    write(delta, ref: ref, bands: bands)
    return Frame(writer, delta.frame.kind)
  }

  /// The same without a frame, as ``message(of:ref:bands:sight:texts:)``.
  package func message(
    _ delta: EncodedDelta, ref: Int?, bands: [UInt8] = []
  ) -> UnsafeRawBufferPointer {
    writer.clear()
    writer.raw(count: Frame.headroom) { _ in }
    write(delta, ref: ref, bands: bands)
    return UnsafeRawBufferPointer(rebasing: writer.rawBytes[Frame.headroom...])
  }

  private func write(_ delta: EncodedDelta, ref: Int?, bands: [UInt8]) {
    let bytes = delta.frame.bytes.assumingMemoryBound(to: UInt8.self)
    let (refOffset, bandsOffset) = (delta.offsets.ref, delta.offsets.bands)
    writer.raw(UnsafeBufferPointer(rebasing: bytes[..<refOffset]))
    writer.ref(ref)
    writer.raw(UnsafeBufferPointer(rebasing: bytes[refOffset..<bandsOffset]))
    writer.raw(bands)
    writer.raw(UnsafeBufferPointer(rebasing: bytes[bandsOffset...]))
  }

  /// Changes of type `bands`, each preceded by a comma.
  package func bands(_ months: [(month: CivilMonth, bands: MonthBands)]) -> [UInt8] {
    bandWriter.clear()
    for (month, bands) in months {
      bandWriter.literal(",{\"change\":\"bands\",\"month\":\"")
      bandWriter.raw(count: 7) { month.writeISO(to: $0) }
      bandWriter.literal("\",\"bands\":")
      if bands.isInsideRange {
        wholeMonths.write(bands, to: &bandWriter)
      } else {
        bandWriter.bands(bands)
      }
      bandWriter.literal("}")
    }
    return bandWriter.bytes
  }

  /// - Parameter ref: `nil` for a command of the host.
  package func reply(ref: Int?, revision: Int) -> Frame {
    frame(.reply) { writer in
      writer.literal("{\"type\":\"reply\"")
      writer.ref(ref)
      writer.literal(",\"revision\":", revision)
      writer.literal("}")
    }
  }

  /// A `refused` message with the current state that the sender needs.
  ///
  /// - Parameters:
  ///   - ref: The ref of the command; `nil` if a message without ref is refused (`months`, `rows`,
  ///     `find`).
  ///   - id: That of a `find`.
  package func refused(
    ref: Int? = nil, id: Int? = nil, _ refusal: Refusal, _ correction: PickerCorrection,
    in fold: SessionFold, texts: any RowTexts
  ) -> Frame {
    frame(.refused) { writer in
      writer.literal("{\"type\":\"refused\"")
      writer.ref(ref)
      if let id { writer.literal(",\"id\":", id) }
      writer.literal(",\"code\":\"")
      writer.raw(refusal.code.rawValue)
      writer.literal("\",\"detail\":", refusal.detail)
      writer.literal(",\"params\":", .object(refusal.params))
      writer.literal(",\"revision\":", fold.revision)
      writer.literal(",\"changes\":[")
      writer.correction(
        correction, of: fold.picker, fold.notes, locale: fold.definition.locale, texts: texts,
        windowRows: windowRows, &cache)
      writer.literal("]}")
    }
  }
}

/// A delta encoded in one language. Its copies differ only in `ref` and bands.
package struct EncodedDelta {
  /// The copy without ref and bands.
  fileprivate let frame: Frame
  fileprivate let offsets: Offsets

  /// The offsets in ``frame`` at which a copy's own parts are inserted.
  fileprivate struct Offsets {
    let ref: Int
    let bands: Int
  }
}

extension JSONWriter {
  /// - Parameter bands: Changes of type `bands`, each preceded by a comma.
  fileprivate mutating func delta(
    _ delta: Delta, ref: Int?, bands: [UInt8]?, sight: Sight, texts: any RowTexts,
    windowRows: Int, _ cache: inout RowsCache, _ instants: inout InstantWriter
  ) -> EncodedDelta.Offsets {
    literal("{\"type\":\"delta\",\"revision\":", delta.revision)
    let refOffset = count
    self.ref(ref)
    if let by = sight.seesEverything ? delta.by : delta.by(for: sight) {
      literal(",\"by\":", by.text)
    }
    if delta.isHostCommand { literal(",\"host\":true") }
    literal(",\"at\":\"")
    raw(count: 24) { instants.write(delta.at, to: $0) }
    literal("\",\"changes\":[")
    let bandsOffset = changes(
      of: delta, bands: bands, sight: sight, texts: texts, windowRows: windowRows, &cache)
    literal("]}")
    return EncodedDelta.Offsets(ref: refOffset, bands: bandsOffset)
  }

  fileprivate mutating func ref(_ ref: Int?) {
    guard let ref else { return }
    literal(",\"ref\":", ref)
  }

  fileprivate mutating func welcomed(_ member: Member, secret: String) {
    literal(",\"member\":{\"id\":", member.id.text)
    literal(",\"secret\":", secret)
    literal(",\"name\":", member.name)
    literal(",\"role\":", member.role.rawValue)
    literal(",\"color\":", member.color)
    literal("}")
  }

  mutating func now(_ now: Instant) {
    literal(",\"now\":", now.rfc3339)
  }
}

extension MessageEncoder {
  /// A `months` message: the cells and bands of the months in `view`. Months outside the calendar's
  /// list are left out.
  package func months(_ view: MonthView, in fold: SessionFold, texts: any RowTexts) -> Frame {
    let parts = view.months.compactMap {
      month($0, of: fold.picker, fold.notes, locale: fold.definition.locale, texts: texts)
    }
    return months(parts, revision: fold.revision)
  }

  /// The same, of months that are encoded.
  package func months(_ parts: [[UInt8]], revision: Int) -> Frame {
    var writer = JSONWriter(capacity: parts.reduce(80) { $0 + $1.count + 1 })
    writer.literal("{\"type\":\"months\",\"revision\":", revision)
    writer.literal(",\"months\":[")
    for (index, part) in parts.enumerated() {
      if index > 0 { writer.literal(",") }
      writer.raw(part)
    }
    writer.literal("]}")
    return Frame(writer, .months)
  }

  /// A month of a `months` message.
  ///
  /// - Parameter locale: The definition's locale, used if a note has no text in the reader's
  ///   language.
  /// - Returns: `nil` if the month is outside the calendar's list.
  package func month(
    _ month: CivilMonth, of picker: Picker, _ notes: Notes, locale: String, texts: any RowTexts
  ) -> [UInt8]? {
    guard let cells = picker.cells(of: month) else { return nil }
    monthEncodeCount += 1
    var writer = JSONWriter(capacity: 3000)
    writer.literal("{\"month\":\"")
    writer.raw(month.iso)
    writer.literal("\",\"title\":", texts.monthTitle(month))
    writer.literal(",\"cells\":")
    writer.cells(cells, notes, locale: locale, texts: texts)
    writer.literal(",\"bands\":")
    writer.bands(picker.bands(of: month))
    writer.literal("}")
    return writer.bytes
  }

  /// A `rows` message.
  ///
  /// - Precondition: The column exists and has all rows of `range`.
  package func rows(
    column index: Int, _ range: Range<Int>, in fold: SessionFold, texts: any RowTexts
  ) -> Frame {
    let column = fold.picker.columns[index]
    var writer = JSONWriter(capacity: 40 * range.count + 80)
    writer.literal("{\"type\":\"rows\",\"column\":", index)
    writer.literal(",\"generation\":", column.generation)
    writer.literal(",\"from\":", range.lowerBound)
    writer.literal(",\"rows\":")
    writer.rows(column.rows, range, fold.columnNotes(index), texts: texts)
    writer.literal("}")
    return Frame(writer, .rows)
  }

  /// The part of a delta with the notes on days that a client displays, for
  /// ``frame(_:ref:bands:)``; empty if there are none.
  ///
  /// - Parameter dates: The dates of all displayed cells.
  package func dayNotes(
    of delta: Delta, in dates: ClosedRange<CivilDate>, texts: any RowTexts
  ) -> [UInt8] {
    delta.dayNotes(in: dates, texts: texts)
  }

  /// A `presence` message with the positions of the others' fingers, for a connection that was just
  /// opened; `nil` if no finger is down.
  package func touches(in session: Session, for member: MemberID?) -> Frame? {
    let touches = session.touches.filter { $0.key != member }
    if touches.isEmpty { return nil }
    var writer = JSONWriter()
    writer.literal("{\"type\":\"presence\",\"touching\":[")
    for (index, member) in touches.keys.sorted(by: { $0.text < $1.text }).enumerated() {
      if index > 0 { writer.literal(",") }
      writer.touching(member, touches[member]!)
    }
    writer.literal("]}")
    return Frame(writer, .presence)
  }

  /// The answer to a renewed token that was accepted.
  package func token(_ lifetime: TokenLifetime) -> Frame {
    var writer = JSONWriter()
    writer.literal("{\"type\":\"token\",")
    writer.lifetime(lifetime)
    writer.literal("}")
    return Frame(writer, .token)
  }

  /// A `draining` message.
  ///
  /// - Parameter reconnectAfterMilliseconds: The delay after which the client should reconnect,
  ///   different for each client to spread the load.
  package func draining(reconnectAfterMilliseconds: Int) -> Frame {
    var writer = JSONWriter()
    writer.literal("{\"type\":\"draining\",\"reconnectAfterMs\":", reconnectAfterMilliseconds)
    writer.literal("}")
    return Frame(writer, .draining(reconnectAfterMilliseconds: reconnectAfterMilliseconds))
  }

  /// An `error` message, the last one before a close.
  package func error(code: String, detail: String) -> Frame {
    var writer = JSONWriter()
    writer.literal("{\"type\":\"error\",\"code\":", code)
    writer.literal(",\"detail\":", detail)
    writer.literal("}")
    return Frame(writer, .error)
  }
}
