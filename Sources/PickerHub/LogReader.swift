import CivilTime
import JSONText
import PickerModel
package import PickerSession
import PickerWire

/// A page of lines of a session's log.
package struct LogPage {
  /// JSON lines.
  package let lines: [UInt8]
  /// The cursor of the next page; `nil` after the last page.
  package let next: LogCursor?

  static let lineCountMax = 256
  /// A page ends with the line that reaches this size, because writing it to the socket takes time
  /// of the thread that handles taps.
  static let byteCountMax = 65_536
}

/// The position of a reader in a session's log.
package struct LogCursor: Sendable {
  fileprivate let origin: SessionOrigin
  /// Whether the reader may change the session.
  fileprivate let seesAll: Bool
  /// What it sees of the parts of members.
  fileprivate let sight: Sight
  /// The language of the lines.
  fileprivate let locale: String
  /// Deltas that were read from the log, but not encoded yet.
  fileprivate var deltas: ArraySlice<Delta>
  /// The position in the log after ``deltas``; `nil` if they are the last ones.
  fileprivate var position: HistoryPosition?
  /// The number of lines still to be returned.
  fileprivate var remainingCount: Int

  fileprivate var isDone: Bool { remainingCount == 0 || (deltas.isEmpty && position == nil) }
}

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

/// The position of a reader in a session's history.
///
/// It contains all that the log needs to continue: no transaction or file stays open between two
/// pages, and the log may be compacted meanwhile.
package struct HistoryPosition: Sendable {
  package let origin: SessionOrigin
  /// Deltas after this revision are read.
  package let after: Int
  /// The last revision to read.
  package let through: Int
  /// The state with all entries up to ``sequence`` applied.
  package var fold: SessionFold
  /// The sequence number of the last entry applied to ``fold``; 0 before the first page.
  package var sequence = 0

  /// The number of deltas after which a page ends. An entry has up to three deltas, so that a page
  /// can have two more.
  package static let deltaCountMax = 256
  /// The maximum of entries that are applied for a page.
  package static let entryCountMax = 2000

  /// Makes the position before the first entry.
  ///
  /// - Returns: `nil` if the session's definition cannot make a picker.
  package init?(
    of origin: SessionOrigin, after: Int, through: Int, limits: SessionLimits
  ) {
    var limits = limits
    limits.history = 0
    guard let fold = try? SessionFold(origin, limits: limits) else { return nil }
    self.origin = origin
    self.after = after
    self.through = through
    self.fold = fold
  }

  package var isDone: Bool { fold.revision >= through }
}

/// A page of the deltas of a session, oldest first.
package struct HistoryPage: Sendable {
  package let deltas: [Delta]
  /// The position of the next page; `nil` after the last one.
  package let next: HistoryPosition?

  package init(deltas: [Delta], next: HistoryPosition?) {
    self.deltas = deltas
    self.next = next
  }
}
