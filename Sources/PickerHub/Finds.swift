import PickerModel
import PickerSession
import PickerWire

/// The bytes of texts that one answer counts as, whatever was searched: it is encoded, too.
private let answerByteCount = 8192

/// Searches for rows. They are answered besides the order of everything else: in parts, one after
/// the other, so that no tap waits for a column of 20,000 rows.
///
/// - Source: web/guide/README.md, "Find".
extension Hub {
  /// Takes a `find` when the messages before it have been applied.
  ///
  /// - Parameter isOverRate: Whether the connection has sent too many messages in this second.
  func find(
    _ request: FindRequest, _ connection: HubConnection, isOverRate: Bool,
    in hosted: HostedSession, at time: HubTime
  ) {
    let due = isOverRate ? connection.rate.nextWindow : nil
    enqueue(
      .look { [unowned self] _ in
        let finding = connection.finding ?? RowFinding()
        connection.finding = finding
        (finding.request, finding.progress) = (request, nil)
        queueFind(of: connection, due: due)
      }, in: hosted, at: time)
  }

  /// Queues the unanswered `find` of a connection, unless it is.
  ///
  /// - Parameter due: When, in machine milliseconds; `nil`: at once.
  func queueFind(of connection: HubConnection, due: Int64? = nil) {
    guard let finding = connection.finding, finding.request != nil, !finding.isQueued else {
      return
    }
    finding.isQueued = true
    if let due { return schedule.add(.find(connection.id), due: due) }
    schedule.addFind(connection.id)
  }

  /// A search that had to wait may begin.
  func requeueFind(of connection: HubConnection) {
    connection.finding?.isQueued = false
    queueFind(of: connection)
  }

  /// Searches a part, and answers after the last one.
  ///
  /// - Parameter byteCount: The bytes of texts that may be searched now, and what is left of them.
  func takeFind(of id: ConnectionID, _ byteCount: inout Int, at time: HubTime) {
    guard let connection = connections[id], let finding = connection.finding else { return }
    finding.isQueued = false
    guard let request = finding.request, !connection.isClosing,
      let hosted = hosted(of: connection), !hosted.isEnding
    else { return }
    // Until it is: `flush` queues it again. An answer in an outbox could be dropped.
    guard connection.sending.isIdle else { return }
    if finding.progress == nil, let due = finding.begin(at: time.machine) {
      return queueFind(of: connection, due: due)
    }
    let fold = hosted.session.fold
    do throws(Refusal) {
      let column = try fold.column(request)
      let texts = connection.texts
      var search = RowSearch(request.text, countMax: request.limit)
      if let progress = finding.progress, progress.generation == column.generation {
        search = progress.search
      }
      finding.progress = nil
      guard search.advance(in: column.rows, texts: texts, byteCountLeft: &byteCount) else {
        finding.progress = (search, column.generation)
        return queueFind(of: connection)
      }
      let found = search.found(in: column.rows, texts: texts)
      answer(
        connection,
        encoder.found(request, found, hasMore: search.hasMore, in: fold, texts: texts))
    } catch {
      countRefusal(error.code, in: hosted)
      answer(
        connection,
        encoder.refused(id: request.id, error, .nothing, in: fold, texts: connection.texts))
    }
    byteCount -= answerByteCount
  }

  private func answer(_ connection: HubConnection, _ frame: Frame) {
    connection.finding?.request = nil
    deliver(.updates(frame), connection)
  }

  /// Sends what is pending for a connection.
  ///
  /// - Returns: The number of bytes.
  @discardableResult
  func flush(_ connection: HubConnection, in hosted: HostedSession, at time: HubTime) -> Int {
    let byteCount = fanOut.flush(connection, in: hosted.session, at: time)
    closeOverflowing()
    queueFind(of: connection)
    return byteCount
  }
}

extension SessionFold {
  fileprivate func column(_ request: FindRequest) throws(Refusal) -> ColumnState {
    guard definition.kind.hasColumns else {
      throw Refusal(.wrongKind, "find is supported for pickers with columns only")
    }
    guard picker.columns.indices.contains(request.column) else {
      throw .noSuchColumn(request.column, of: picker.columns.count)
    }
    return picker.columns[request.column]
  }
}
