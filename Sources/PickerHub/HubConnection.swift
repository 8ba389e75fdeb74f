import PickerModel
package import PickerSession
import PickerWire

/// One connection as the hub sees it: who it is, what waits for it, how much it says.
package final class HubConnection {
  package let id: ConnectionID
  let session: SessionID
  /// The session as it was found last; see ``HostedSession/isResident``.
  var hosted: HostedSession?
  /// From the `Authorization` header, where a client can set one.
  let bearer: String?
  var phase = Phase.silent
  /// Whom it speaks for, from its join on.
  var member: MemberID?
  /// Nobody's: it hears everything and says nothing.
  var isWatching = false
  var outbox = Outbox()
  var rate = MessageRate()
  /// Texts of the member's own language.
  var texts: any RowTexts = EnglishTexts()

  enum Phase: Equatable {
    /// Has not joined yet.
    case silent
    /// Speaks for its member. It listens as soon as its join has been applied.
    case joined
    /// Has been closed, or is being closed, by us.
    case closing
  }

  init(id: ConnectionID, session: SessionID, bearer: String?) {
    self.id = id
    self.session = session
    self.bearer = bearer
  }
}

/// How many messages came in the second that began with one of them.
struct MessageRate {
  private var windowStart: Int64 = -1000
  private var count = 0

  enum Verdict {
    case within, over, farOver
  }

  /// Counts one message.
  ///
  /// - Parameters:
  ///   - now: The machine's milliseconds.
  ///   - countMax: Messages of a second that are within the rate; ten times as many are far over.
  mutating func count(at now: Int64, countMax: Int) -> Verdict {
    if now - windowStart >= 1000 {
      windowStart = now
      count = 0
    }
    count += 1
    if count > 10 * countMax { return .farOver }
    return count > countMax ? .over : .within
  }
}
