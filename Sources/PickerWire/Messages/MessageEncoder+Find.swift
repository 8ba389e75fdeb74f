import JSONText
package import PickerModel
package import PickerSession

extension MessageEncoder {
  /// A `found` message.
  ///
  /// - Parameter matches: Rows of the column as it is now.
  package func found(
    _ request: FindRequest, _ matches: [RowSearch.Match], hasMore: Bool, in fold: SessionFold,
    texts: any RowTexts
  ) -> Frame {
    let column = fold.picker.columns[request.column]
    var writer = JSONWriter(capacity: 60 * matches.count + 100)
    writer.literal("{\"type\":\"found\",\"id\":", request.id)
    writer.literal(",\"column\":", request.column)
    writer.literal(",\"generation\":", column.generation)
    writer.literal(",\"rows\":")
    writer.found(matches, in: column.rows, texts: texts)
    writer.literal(",\"more\":", hasMore)
    writer.literal("}")
    return Frame(writer, .found)
  }
}
