package import JSONText

/// A cache of the encoded bands of months that are entirely inside a range.
///
/// There are only 28 different ones (7 columns for the 1st, 4 lengths), and a range over many
/// months consists of them.
package struct WholeMonths {
  /// By the number of cells before the 1st, 0 … 6, and the number of days, 28 … 31.
  private var written: [[UInt8]] = Array(repeating: [], count: 7 * 4)

  package init() {}

  /// Writes the same bytes as ``JSONWriter/bands(_:)``.
  ///
  /// - Precondition: ``MonthBands/isInsideRange``.
  package mutating func write(_ bands: MonthBands, to writer: inout JSONWriter) {
    let (leadCount, dayCount) = (bands.cells.lowerBound, bands.cells.count)
    precondition(leadCount < 7 && (28...31).contains(dayCount), "not a whole month")
    let index = leadCount * 4 + dayCount - 28
    if written[index].isEmpty {
      var text = JSONWriter()
      text.bands(bands)
      written[index] = text.bytes
    }
    writer.raw(written[index])
  }
}
