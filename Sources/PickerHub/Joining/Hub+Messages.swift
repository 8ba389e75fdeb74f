import CivilTime
import PickerModel
import PickerSession
import PickerWire

extension Hub {
  /// Handles a message of a member. Everything that gets an answer is queued as a step, so that
  /// answers come in the order of the messages.
  func handle(
    _ message: ClientMessage, from connection: HubConnection, _ member: MemberID,
    in hosted: HostedSession, at time: HubTime
  ) {
    if case .leave = message { return leave(connection, member, in: hosted, at: time) }
    let verdict = connection.rate.count(at: time.machine, countMax: limits.messagesPerSecond)
    if verdict == .farOver {
      return closeTooFast(connection)
    }
    switch message {
    case .selectWithBadKey(let ref, let command):
      guard takeRole(of: connection, member, in: hosted, at: time) else {
        return cannotStore(connection)
      }
      if isStale(command, in: hosted) {
        close(connection, .badMessage, "key must be a string")
      } else {
        let reason: UnstoredReason? = verdict == .over ? .rate : nil
        submit(command, ref: ref, by: member, unless: reason, to: hosted, at: time)
      }
    case .command(let ref, let command, let precondition):
      give(
        command, if: precondition, ref: ref, isOverRate: verdict == .over, from: connection, member,
        in: hosted, at: time)
    case .months(let view):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      look(connection, at: view, in: hosted, at: time)
    case .rows(let column, let from, let count):
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      sendRows(connection, column: column, from: from, count: count, in: hosted, at: time)
    case .token(let renewal):
      guard let verifier = admission.verifier else {
        guard let ref = renewal.ref else { return }
        submit(
          .unknown(type: "token"), ref: ref, by: member,
          unless: verdict == .over ? .rate : nil, to: hosted, at: time)
        return
      }
      if verdict == .over { return enqueueRefusal(tooMany, connection, hosted, at: time) }
      guard let token = renewal.token else {
        return close(connection, .badMessage, "token must be a string")
      }
      renew(token, verifier, of: connection, member, in: hosted, at: time)
    case .touch(let touch): self.touch(touch, connection, member, in: hosted, at: time)
    case .ignored, .join, .leave: break
    }
  }

  func closeTooFast(_ connection: HubConnection) {
    close(
      connection, .tooManyMessages,
      "more than ten times the limit of \(limits.messagesPerSecond) messages a second")
  }

  /// Closes a connection when the messages before `leave` are answered. The member leaves when the
  /// entry is applied, also if its client has closed the connection meanwhile, but not if it has
  /// come back.
  private func leave(
    _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    connection.isLeaving = true
    enqueue(
      .look { [unowned self] hosted in
        let isGone =
          connection.isClosing && hosted.attendance.connection(of: member) == nil
          && !hosted.session.isOnline(member)
        guard connection.member == member || isGone, hosted.session.fold.members[member] != nil
        else { return }
        append(.left(member), to: hosted, at: now)
        close(connection, .normal, "left")
      }, in: hosted, at: time)
  }

  /// Whether a select is for an older generation of its column: only then its key is read.
  private func isStale(_ command: Command, in hosted: HostedSession) -> Bool {
    let columns = hosted.session.fold.picker.columns
    guard case .select(let selection) = command, columns.indices.contains(selection.column) else {
      return false
    }
    return columns[selection.column].generation != selection.generation
  }

  private var tooMany: Refusal {
    Refusal(.tooMany, "more than \(limits.messagesPerSecond) messages a second; try again later")
  }

  private func look(
    _ connection: HubConnection, at view: MonthView, in hosted: HostedSession, at time: HubTime
  ) {
    guard hosted.session.fold.definition.kind.showsMonths else {
      let refusal = Refusal(.wrongKind, "months is supported for calendars only")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    }
    let view = cut(view)
    enqueue(
      .look { [unowned self] hosted in
        hosted.session.look(connection.id, at: view)
        let frame = encoder.months(view, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func sendRows(
    _ connection: HubConnection, column: Int, from: Int, count: Int, in hosted: HostedSession,
    at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in
        let columns = hosted.session.fold.picker.columns
        guard hosted.session.fold.definition.kind.hasColumns else {
          let refusal = Refusal(.wrongKind, "rows is supported for pickers with columns only")
          return refuse(refusal, connection, hosted)
        }
        guard columns.indices.contains(column) else {
          return refuse(.noSuchColumn(column, of: columns.count), connection, hosted)
        }
        let last = columns[column].rows.count
        let start = max(0, min(from, last))
        let wanted = max(0, min(count, limits.session.rows))
        let (end, overflow) = from.addingReportingOverflow(wanted)
        let stop = overflow ? last : max(start, min(end, last))
        let frame = encoder.rows(
          column: column, start..<stop, in: hosted.session.fold, texts: connection.texts)
        deliver(.updates(frame), connection)
      }, in: hosted, at: time)
  }

  private func touch(
    _ touch: Touch, _ connection: HubConnection, _ member: MemberID, in hosted: HostedSession,
    at time: HubTime
  ) {
    let kind = hosted.session.fold.definition.kind
    switch touch {
    case .row where !kind.hasColumns, .date where !kind.showsMonths:
      let refusal = Refusal(
        .wrongKind, "touch needs a date in a calendar, a column and a row in a picker with columns")
      return enqueueRefusal(refusal, connection, hosted, at: time)
    case .row, .date, .lifted: break
    }
    enqueue(
      .look { [unowned self] hosted in
        guard connection.member == member else { return }
        // Of the columns after the member's commands before this message.
        let columns = hosted.session.fold.picker.columns
        if case .row(let column, let row, isHover: _) = touch {
          guard columns.indices.contains(column), row >= 0, row < columns[column].rows.count else {
            return
          }
        }
        perform(hosted.session.touch(member, touch), in: hosted, at: time)
      }, in: hosted, at: time)
  }

  /// Queues the refusal of a message without a ref.
  private func enqueueRefusal(
    _ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession, at time: HubTime
  ) {
    enqueue(
      .look { [unowned self] hosted in refuse(refusal, connection, hosted) }, in: hosted, at: time)
  }

  private func refuse(_ refusal: Refusal, _ connection: HubConnection, _ hosted: HostedSession) {
    countRefusal(refusal.code, in: hosted)
    answer(connection, Answer(ref: nil, body: .refused(refusal, .nothing)), in: hosted)
  }
}
