package import PickerSession

/// The parameters of an event stream.
package struct WatchRequest: Sendable {
  package var token: Credential?
  /// Grants a viewer's rights without a token.
  package var ticket: Ticket?
  package var locale: String?
  package var timeZone: String?
  package var view: MonthView?
  /// The position of the last event received (`Last-Event-ID`): the beginning of the epoch, and the
  /// revision.
  package var seen: (epochMark: String, revision: Int)?

  package init() {}
}
