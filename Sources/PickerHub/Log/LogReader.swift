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
    of fold: SessionFold, seesAll: Bool, seesParts: Bool, after: Int, limit: Int?
  ) async -> LogPage? {
    if after >= fold.revision { return LogPage(lines: [], next: nil) }
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
    return await page(at: cursor)
  }

  /// The page at a cursor; `nil` if the log cannot be read or the session has ended.
  func page(at cursor: LogCursor) async -> LogPage? {
    var cursor = cursor
    // A page has no deltas if its entries changed nothing: then the next one is read.
    while cursor.deltas.isEmpty {
      guard let position = cursor.position,
        let page = await answered({ log.history(from: position, completion: $0) })
      else { return nil }
      cursor.deltas = page.deltas[...]
      cursor.position = page.next
      if cursor.isDone { return LogPage(lines: [], next: nil) }
    }
    return await lines(cursor)
  }

  private func lines(_ cursor: LogCursor) async -> LogPage {
    let texts = languages.texts(for: nil, fallback: cursor.locale)
    let windowRows = windowRows
    let work = { @Sendable in
      let wanted = cursor.deltas.prefix(min(LogPage.lineCountMax, cursor.remainingCount))
      var writer = JSONWriter(capacity: 256 * wanted.count)
      var count = 0
      for delta in wanted where writer.count < LogPage.byteCountMax {
        HTTPDocument.logLine(
          delta, of: cursor.origin, seesAll: cursor.seesAll, sight: cursor.sight, texts: texts,
          windowRows: windowRows, into: &writer)
        count += 1
      }
      return (writer.bytes, count)
    }
    let (lines, count) = await answered { port.inBackground(work, then: $0) }
    var next = cursor
    next.deltas = next.deltas.dropFirst(count)
    next.remainingCount -= count
    return LogPage(lines: lines, next: next.isDone ? nil : next)
  }
}
