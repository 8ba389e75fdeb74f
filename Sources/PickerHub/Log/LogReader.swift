import JSONText
import PickerSession
import PickerWire

/// Reads the history of sessions in pages: a log may be larger than the memory.
///
/// It has no state: a ``LogCursor`` contains all that the next page needs. Lines are encoded on
/// another thread, so that taps are not delayed; answers come on the hub's thread.
struct LogReader {
  let log: any SessionLog
  let port: any HubPort
  let languages: Languages
  /// The maximum of rows in a line.
  let windowRows: Int

  /// The first page after a revision, in the definition's language.
  ///
  /// - Parameter limit: The maximum of lines; `nil`: all.
  func page(
    of fold: SessionFold, seesAll: Bool, seesParts: Bool, after: Int, limit: Int?,
    answer: @escaping (LogPage?) -> Void
  ) {
    if after >= fold.revision { return answer(LogPage(lines: [], next: nil)) }
    var cursor = LogCursor(
      origin: fold.origin, seesAll: seesAll, sight: fold.sight(of: nil, seesAll: seesParts),
      locale: fold.definition.locale, deltas: [],
      position: nil, remainingCount: limit ?? .max)
    if let recent = fold.deltas(after: after) {
      cursor.deltas = recent
    } else {
      cursor.position = HistoryPosition(
        of: fold.origin, after: after, through: fold.revision, limits: fold.limits)
    }
    page(at: cursor, answer: answer)
  }

  /// The page at a cursor.
  ///
  /// - Parameter answer: Receives `nil` if the log cannot be read or the session has ended.
  func page(at cursor: LogCursor, answer: @escaping (LogPage?) -> Void) {
    guard cursor.deltas.isEmpty else { return writeLines(cursor, answer) }
    guard let position = cursor.position else { return answer(nil) }
    nonisolated(unsafe) let (reader, answer) = (self, answer)
    log.history(from: position) { page in
      guard let page else { return answer(nil) }
      var cursor = cursor
      cursor.deltas = page.deltas[...]
      cursor.position = page.next
      if cursor.isDone { return answer(LogPage(lines: [], next: nil)) }
      // The page has no deltas if its entries changed nothing: then the next one is read.
      reader.page(at: cursor, answer: answer)
    }
  }

  private func writeLines(_ cursor: LogCursor, _ answer: @escaping (LogPage?) -> Void) {
    let texts = languages.texts(for: nil, fallback: cursor.locale)
    let windowRows = windowRows
    let written = LineCount()
    port.inBackground(
      {
        let wanted = cursor.deltas.prefix(min(LogPage.lineCountMax, cursor.remainingCount))
        var writer = JSONWriter(capacity: 256 * wanted.count)
        for delta in wanted where writer.count < LogPage.byteCountMax {
          HTTPDocument.logLine(
            delta, of: cursor.origin, seesAll: cursor.seesAll, sight: cursor.sight, texts: texts,
            windowRows: windowRows, into: &writer)
          written.value += 1
        }
        return writer.bytes
      },
      then: { lines in
        var next = cursor
        next.deltas = next.deltas.dropFirst(written.value)
        next.remainingCount -= written.value
        answer(LogPage(lines: lines, next: next.isDone ? nil : next))
      })
  }
}

/// The number of lines that a background thread has encoded. The hub's thread reads it when the
/// background work is done.
private final class LineCount: @unchecked Sendable {
  var value = 0
}
