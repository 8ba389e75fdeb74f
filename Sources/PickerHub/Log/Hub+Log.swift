import CivilTime
import JSONText
import PickerModel
package import PickerSession
import PickerWire

/// Some lines of a session's log.
package struct LogPage {
  /// JSON, a line each.
  package let lines: [UInt8]
  /// What follows; `nil` after the last page.
  package let next: LogCursor?

  static let lineCountMax = 256
  /// No line is added to as many bytes: a page is written on the thread of taps.
  static let byteCountMax = 65_536
}

/// How far a reader of a session's log has come.
package struct LogCursor: Sendable {
  fileprivate let origin: SessionOrigin
  /// The language of the lines.
  fileprivate let locale: String
  /// Deltas that have been read and are not written yet.
  fileprivate var deltas: ArraySlice<Delta>
  /// Where the log is read after them; `nil` if they are the last ones.
  fileprivate var position: HistoryPosition?
  /// How many lines are still wanted.
  fileprivate var remainingCount: Int

  fileprivate var isDone: Bool { remainingCount == 0 || (deltas.isEmpty && position == nil) }
}

/// The history of a session, page by page: a log may be longer than what fits into memory.
extension Hub {
  /// Lines of the history after a revision, in the definition's language.
  ///
  /// - Parameters:
  ///   - limit: At most so many lines; all if `nil`.
  ///   - answer: Gets the first page.
  package func logLines(
    _ id: SessionID, token: String?, after: Int, limit: Int? = nil, at time: HubTime,
    answer: @escaping (Result<LogPage, HubProblem>) -> Void
  ) {
    find(id, token: token, needs: .viewer, at: time, failure: { answer(.failure($0)) }) {
      [unowned self] hosted in
      let fold = hosted.session.fold
      if after >= fold.revision { return answer(.success(LogPage(lines: [], next: nil))) }
      var cursor = LogCursor(
        origin: fold.origin, locale: fold.definition.locale, deltas: [], position: nil,
        remainingCount: limit ?? .max)
      if let recent = fold.deltas(after: after) {
        cursor.deltas = recent
      } else {
        cursor.position = HistoryPosition(
          of: fold.origin, after: after, through: fold.revision, limits: fold.limits)
      }
      moreLogLines(cursor) { answer($0.map { .success($0) } ?? .failure(.unavailable)) }
    }
  }

  /// The next lines of a log.
  ///
  /// - Parameter answer: Gets `nil` if the log cannot be read, or its session has ended.
  package func moreLogLines(_ cursor: LogCursor, answer: @escaping (LogPage?) -> Void) {
    guard cursor.deltas.isEmpty else { return writeLines(cursor, answer) }
    guard let position = cursor.position else { return answer(nil) }
    nonisolated(unsafe) let answer = answer
    nonisolated(unsafe) let hub = self
    log.history(from: position) { page in
      guard let page else { return answer(nil) }
      var cursor = cursor
      cursor.deltas = page.deltas[...]
      cursor.position = page.next
      if cursor.isDone { return answer(LogPage(lines: [], next: nil)) }
      // Without deltas: a page of entries that made none.
      hub.moreLogLines(cursor, answer: answer)
    }
  }

  /// Encodes lines where nobody's tap waits for it.
  private func writeLines(_ cursor: LogCursor, _ answer: @escaping (LogPage?) -> Void) {
    let texts = languages.texts(for: nil, fallback: cursor.locale)
    let windowRows = limits.session.windowRows
    let written = LineCount()
    port.inBackground(
      {
        let wanted = cursor.deltas.prefix(min(LogPage.lineCountMax, cursor.remainingCount))
        var writer = JSONWriter(capacity: 256 * wanted.count)
        for delta in wanted where writer.count < LogPage.byteCountMax {
          HTTPDocument.logLine(
            delta, of: cursor.origin, texts: texts, windowRows: windowRows, into: &writer)
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

/// How many lines another thread has written; read when it has.
private final class LineCount: @unchecked Sendable {
  var value = 0
}
