import CivilTime
import JSONText
import PickerModel
package import PickerSession
package import PickerWire

/// Some lines of a session's log.
package struct LogPage {
  /// JSON, a line each.
  package let lines: [UInt8]
  /// What follows; `nil` after the last page.
  package let next: LogCursor?
}

/// How far a reader of a session's log has come.
package struct LogCursor: Sendable {
  fileprivate enum Source: Sendable {
    /// The session remembers the deltas.
    case recent(ArraySlice<Delta>)
    case log(HistoryPosition)
  }

  fileprivate let origin: SessionOrigin
  /// The language of the lines.
  fileprivate let locale: String
  fileprivate var source: Source
  /// How many lines are still wanted.
  fileprivate var remainingCount: Int
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
      let source: LogCursor.Source
      if let recent = fold.deltas(after: after) {
        source = .recent(recent)
      } else if let position = HistoryPosition(
        of: fold.origin, after: after, through: fold.revision, limits: fold.limits)
      {
        source = .log(position)
      } else {
        return answer(.failure(.unavailable))
      }
      let cursor = LogCursor(
        origin: fold.origin, locale: fold.definition.locale, source: source,
        remainingCount: limit ?? .max)
      moreLogLines(cursor) { answer($0.map { .success($0) } ?? .failure(.unavailable)) }
    }
  }

  /// The next lines of a log.
  ///
  /// - Parameter answer: Gets `nil` if the log cannot be read, or its session has ended.
  package func moreLogLines(_ cursor: LogCursor, answer: @escaping (LogPage?) -> Void) {
    switch cursor.source {
    case .recent(let deltas):
      let rest = deltas.dropFirst(HistoryPosition.deltaCountMax)
      writeLines(
        Array(deltas.prefix(HistoryPosition.deltaCountMax)),
        next: rest.isEmpty ? nil : .recent(rest), cursor, answer)
    case .log(let position):
      nonisolated(unsafe) let answer = answer
      nonisolated(unsafe) let hub = self
      log.history(from: position) { page in
        guard let page else { return answer(nil) }
        hub.writeLines(page.deltas, next: page.next.map { .log($0) }, cursor, answer)
      }
    }
  }

  /// Encodes lines where nobody's tap waits for it.
  private func writeLines(
    _ deltas: [Delta], next source: LogCursor.Source?, _ cursor: LogCursor,
    _ answer: @escaping (LogPage?) -> Void
  ) {
    let wanted = deltas.prefix(cursor.remainingCount)
    var next = cursor
    next.remainingCount -= wanted.count
    let isLast = source == nil || next.remainingCount == 0
    if let source { next.source = source }
    // A page of entries that made no delta.
    if wanted.isEmpty && !isLast { return moreLogLines(next, answer: answer) }
    let origin = cursor.origin
    let texts = languages.texts(for: nil, fallback: cursor.locale)
    let windowRows = limits.session.windowRows
    port.inBackground(
      {
        var writer = JSONWriter(capacity: 256 * wanted.count)
        for delta in wanted {
          HTTPDocument.logLine(
            delta, of: origin, texts: texts, windowRows: windowRows, into: &writer)
        }
        return writer.octets
      }, then: { answer(LogPage(lines: $0, next: isLast ? nil : next)) })
  }
}
