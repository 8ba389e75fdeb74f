package import CivilTime
import JSONText
package import PickerModel
package import PickerSession

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
    writer.literal("{\"type\":\"months\",\"revision\":")
    writer.integer(revision)
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
    writer.literal("\",\"title\":")
    writer.string(texts.monthTitle(month))
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
    writer.literal("{\"type\":\"rows\",\"column\":")
    writer.integer(index)
    writer.literal(",\"generation\":")
    writer.integer(column.generation)
    writer.literal(",\"from\":")
    writer.integer(range.lowerBound)
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
    writer.literal("{\"type\":\"draining\",\"reconnectAfterMs\":")
    writer.integer(reconnectAfterMilliseconds)
    writer.literal("}")
    return Frame(writer, .draining(reconnectAfterMilliseconds: reconnectAfterMilliseconds))
  }

  /// An `error` message, the last one before a close.
  package func error(code: String, detail: String) -> Frame {
    var writer = JSONWriter()
    writer.literal("{\"type\":\"error\",\"code\":")
    writer.string(code)
    writer.literal(",\"detail\":")
    writer.string(detail)
    writer.literal("}")
    return Frame(writer, .error)
  }
}
