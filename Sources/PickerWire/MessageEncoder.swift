package import CivilTime
import JSONText
package import PickerModel
package import PickerSession

/// Builds the messages to members, each once, as frames that any number of outboxes may share.
/// - Source: protocol.md, "To the client".
package final class MessageEncoder {
  private var writer = JSONWriter(capacity: 4096)
  private var cache = RowsCache(count: 64)
  private var bandWriter = JSONWriter(capacity: 4096)
  private var wholeMonths = WholeMonths()
  /// How often a delta's changes have been written out since the start.
  package private(set) var deltaEncodeCount = 0
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
  ///   - member: `nil` for a connection that only watches.
  ///   - secret: The member's, for `resume`.
  ///   - resumedAt: The member's own revision when missed deltas follow; `nil` for a snapshot.
  package func welcome(
    _ member: Member?, secret: String, in session: Session, resumedAt revision: Int?,
    texts: any RowTexts, now: Instant
  ) -> Frame {
    frame(.welcome(revision: revision ?? session.fold.revision)) { writer in
      writer.literal("{\"type\":\"welcome\"")
      if let member {
        writer.welcomed(member, secret: secret)
        writer.ref(member.refs.greatest)
      }
      writer.literal(",\"locale\":")
      writer.string(texts.tag)
      writer.literal(",\"epoch\":")
      writer.string(session.fold.origin.epoch)
      writer.literal(",\"revision\":")
      writer.integer(revision ?? session.fold.revision)
      writer.literal(",\"resumed\":")
      writer.bool(revision != nil)
      if revision == nil {
        writer.literal(",\"snapshot\":")
        writer.snapshot(session.fold, texts: texts, windowRows: windowRows)
      }
      writer.literal(",\"members\":")
      writer.members(of: session)
      writer.now(now)
      writer.literal(",\"limits\":{")
      for (index, limit) in limits.told.enumerated() {
        if index > 0 { writer.literal(",") }
        writer.literal("\"")
        writer.literal(limit.name)
        writer.literal("\":")
        writer.integer(limit.value)
      }
      writer.literal("}}")
    }
  }

  /// Everything anew, for a member that could not keep up.
  package func snapshot(of session: Session, texts: any RowTexts, now: Instant) -> Frame {
    frame(.snapshot(revision: session.fold.revision)) { writer in
      writer.literal("{\"type\":\"snapshot\",\"revision\":")
      writer.integer(session.fold.revision)
      writer.literal(",\"status\":\"")
      writer.raw(session.fold.status.rawValue)
      writer.literal("\",\"snapshot\":")
      writer.snapshot(session.fold, texts: texts, windowRows: windowRows)
      writer.literal(",\"members\":")
      writer.members(of: session)
      writer.now(now)
      writer.literal("}")
    }
  }

  /// Writes a delta in one language; ``frame(_:ref:bands:)`` makes its copies.
  package func encode(_ delta: Delta, texts: any RowTexts) -> EncodedDelta {
    let offsets = write(delta, ref: nil, bands: [], texts)
    return EncodedDelta(
      frame: Frame(writer, .delta(revision: delta.revision)), offsets: offsets)
  }

  /// The copy of a delta that only one hears.
  ///
  /// - Parameter ref: Only for the author.
  package func frame(
    of delta: Delta, ref: Int?, bands: [UInt8] = [], texts: any RowTexts
  ) -> Frame {
    _ = write(delta, ref: ref, bands: bands, texts)
    return Frame(writer, .delta(revision: delta.revision))
  }

  private func write(
    _ delta: Delta, ref: Int?, bands: [UInt8], _ texts: any RowTexts
  ) -> EncodedDelta.Offsets {
    deltaEncodeCount += 1
    writer.clear()
    return writer.delta(
      delta, ref: ref, bands: bands, texts: texts, windowRows: windowRows, &cache)
  }

  /// One copy of a delta.
  ///
  /// - Parameters:
  ///   - ref: Only for the author.
  ///   - bands: What ``bands(_:)`` wrote for the months that the members look at, or nothing.
  package func frame(_ delta: EncodedDelta, ref: Int?, bands: [UInt8] = []) -> Frame {
    if ref == nil && bands.isEmpty { return delta.frame }
    let bytes = delta.frame.bytes.assumingMemoryBound(to: UInt8.self)
    return frame(delta.frame.kind) { writer in
      let (refOffset, bandsOffset) = (delta.offsets.ref, delta.offsets.bands)
      writer.raw(UnsafeBufferPointer(rebasing: bytes[..<refOffset]))
      writer.ref(ref)
      writer.raw(UnsafeBufferPointer(rebasing: bytes[refOffset..<bandsOffset]))
      writer.raw(bands)
      writer.raw(UnsafeBufferPointer(rebasing: bytes[bandsOffset...]))
    }
  }

  /// Changes of kind `bands`, each with a comma before it.
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

  package func reply(ref: Int, revision: Int) -> Frame {
    frame(.reply) { writer in
      writer.literal("{\"type\":\"reply\",\"ref\":")
      writer.integer(ref)
      writer.literal(",\"revision\":")
      writer.integer(revision)
      writer.literal("}")
    }
  }

  package func refused(
    ref: Int?, _ refusal: Refusal, _ standing: Answer.Standing, in fold: SessionFold,
    texts: any RowTexts
  ) -> Frame {
    frame(.refused) { writer in
      writer.literal("{\"type\":\"refused\"")
      writer.ref(ref)
      writer.literal(",\"code\":\"")
      writer.raw(refusal.code.rawValue)
      writer.literal("\",\"detail\":")
      writer.string(refusal.detail)
      writer.literal(",\"params\":")
      writer.tree(.object(refusal.params))
      writer.literal(",\"revision\":")
      writer.integer(fold.revision)
      writer.literal(",\"changes\":[")
      writer.standing(standing, in: fold, texts: texts, windowRows: windowRows, &cache)
      writer.literal("]}")
    }
  }
}

/// A delta in one language; its copies differ in `ref` and bands only.
package struct EncodedDelta {
  /// The copy without both.
  fileprivate let frame: Frame
  fileprivate let offsets: Offsets

  /// Where in the frame the parts of a copy go.
  fileprivate struct Offsets {
    let ref: Int
    let bands: Int
  }
}

extension JSONWriter {
  /// - Parameter bands: Changes of kind `bands`, each with a comma before it.
  fileprivate mutating func delta(
    _ delta: Delta, ref: Int?, bands: [UInt8], texts: any RowTexts, windowRows: Int,
    _ cache: inout RowsCache
  ) -> EncodedDelta.Offsets {
    literal("{\"type\":\"delta\",\"revision\":")
    integer(delta.revision)
    let refOffset = count
    self.ref(ref)
    if let by = delta.by {
      literal(",\"by\":")
      string(by.text)
    }
    literal(",\"at\":\"")
    raw(count: 24) { delta.at.writeRFC3339(to: $0) }
    literal("\",\"changes\":[")
    let bandsOffset = changes(
      of: delta, bands: bands, texts: texts, windowRows: windowRows, &cache)
    literal("]}")
    return EncodedDelta.Offsets(ref: refOffset, bands: bandsOffset)
  }

  fileprivate mutating func ref(_ ref: Int?) {
    guard let ref else { return }
    literal(",\"ref\":")
    integer(ref)
  }

  fileprivate mutating func welcomed(_ member: Member, secret: String) {
    literal(",\"member\":{\"id\":")
    string(member.id.text)
    literal(",\"secret\":")
    string(secret)
    literal(",\"name\":")
    string(member.name)
    literal(",\"role\":\"")
    raw(member.role.rawValue)
    literal("\",\"color\":\"")
    raw(member.color)
    literal("\"}")
  }

  mutating func now(_ now: Instant) {
    literal(",\"now\":\"")
    raw(now.rfc3339)
    literal("\"")
  }
}
