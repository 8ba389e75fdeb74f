package import PickerSession

/// The history of a session.
extension Hub {
  private var logReader: LogReader {
    LogReader(
      log: log, port: port, languages: languages, windowRows: limits.session.windowRows)
  }

  /// Lines of the history after a revision, in the definition's language.
  ///
  /// - Parameters:
  ///   - after: Lines of later revisions are returned.
  ///   - limit: The maximum of lines; `nil`: all.
  ///   - answer: Receives the first page.
  package func logLines(
    _ id: SessionID, token: Credential?, after: Int, limit: Int? = nil, at time: HubTime,
    answer: @escaping (Result<LogPage, HubProblem>) -> Void
  ) {
    performOnHub { [unowned self] in
      do throws(HubProblem) {
        let hosted = try await find(id, token: token, needs: .viewer, at: time)
        let seesAll = admission.allowsChange(token, of: hosted.session)
        let seesParts = admission.seesParts(token, of: hosted.session)
        let page = await logReader.page(
          of: hosted.session.fold, seesAll: seesAll, seesParts: seesParts, after: after,
          limit: limit)
        guard let page else { throw hosted.isEnding ? .noSuchSession : .unavailable }
        answer(.success(page))
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// The next lines of a log.
  ///
  /// - Parameter answer: Receives `nil` if the log cannot be read or the session has ended.
  package func moreLogLines(_ cursor: LogCursor, answer: @escaping (LogPage?) -> Void) {
    performOnHub { [unowned self] in answer(await logReader.page(at: cursor)) }
  }
}
