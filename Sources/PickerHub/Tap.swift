import PickerModel
package import PickerSession
import PickerWire

/// A tap, in a straight line: from the bytes of a message to ``submit``, which decides what is
/// logged. What follows is ``append(_:to:at:completion:)`` and, when the log has stored the entry,
/// ``apply(_:arrival:_:in:at:)``.
extension Hub {
  /// Handles a complete text message. Messages of one connection are handled in the order received,
  /// also those that wait for the session to be loaded.
  ///
  /// The straight line is that of a command of a joined member, in an open session in memory for
  /// which nothing waits. Everything else, also a tap behind a record that is not stored yet, is in
  /// ``receive(_:from:at:)``, which counts its rate itself.
  package func received(_ id: ConnectionID, _ text: Span<UInt8>, at time: HubTime) {
    guard let connection = connections[id], !connection.isLeaving else { return }
    now = time
    guard let member = connection.member, let hosted = connection.hosted,
      hosted.phase == .loaded, hosted.steps.isEmpty
    else { return slow(text, from: connection, at: time) }
    ownCounters.messagesIn += 1
    do throws(BadMessage) {
      // Of no variable, from which the command would be copied.
      switch try ClientMessage.decode(text) {
      case .command(let ref, let command, let precondition):
        let verdict = connection.rate.count(at: time.machine, countMax: limits.messagesPerSecond)
        if verdict == .farOver { return closeTooFast(connection) }
        give(
          command, if: precondition, ref: ref, isOverRate: verdict == .over, from: connection,
          member, in: hosted, at: time)
      case let message: take(message, from: connection, in: hosted, at: time)
      }
    } catch {
      return close(connection, .badMessage, error.detail)
    }
    end(messageOf: connection, in: hosted, at: time)
  }

  private func slow(_ text: Span<UInt8>, from connection: HubConnection, at time: HubTime) {
    if connection.isClosing { return }
    ownCounters.messagesIn += 1
    receive(text, from: connection, at: time)
  }

  /// Submits a member's command.
  func give(
    _ command: consuming Command, if precondition: Precondition?, ref: Int, isOverRate: Bool,
    from connection: HubConnection, _ member: MemberID, in hosted: HostedSession, at time: HubTime
  ) {
    guard takeRole(of: connection, member, in: hosted, at: time) else {
      return cannotStore(connection)
    }
    var reason: UnstoredReason? = isOverRate ? .rate : nil
    if command.isRename {
      reason = self.reason(against: command, isOverRate: isOverRate, connection.token.token)
    }
    author = connection
    submit(command, if: precondition, ref: ref, by: member, unless: reason, to: hosted, at: time)
    author = nil
  }
}
