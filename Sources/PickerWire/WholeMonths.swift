import JSONText
import PickerModel

/// The bands of months that lie inside a range, as they were written before: a range over many
/// months is made of them, and there are no more than 28.
struct WholeMonths {
  /// By how many cells stand before the 1st, 0 … 6, and the length, 28 … 31.
  private var written: [[UInt8]] = Array(repeating: [], count: 7 * 4)

  /// Writes what ``JSONWriter/bands(_:)`` does.
  ///
  /// - Precondition: `bands` are those of a month inside a range.
  mutating func write(_ bands: MonthBands, to writer: inout JSONWriter) {
    let (leadCount, dayCount) = (bands.cells.lowerBound, bands.cells.count)
    precondition(leadCount < 7 && (28...31).contains(dayCount), "no whole month")
    let place = leadCount * 4 + dayCount - 28
    if written[place].isEmpty {
      var text = JSONWriter()
      text.bands(bands)
      written[place] = text.bytes
    }
    writer.raw(written[place])
  }
}
