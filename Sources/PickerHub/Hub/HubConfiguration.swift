package import PickerModel
package import PickerWire

/// The limits of a hub and its way of granting roles.
package struct HubConfiguration: Sendable {
  package enum Authentication: Sendable {
    /// Anyone may join; the first member of a session is its owner.
    case open
    /// The response to a creation has a token for each of the three roles; joining needs one.
    case token
    /// Members need tokens that the host signs; everything else needs an API key, which the server
    /// checks before it asks the hub.
    case keys(any TokenVerifier)
  }

  package var authentication: Authentication
  package var limits: ServerLimits
  package var definitionLimits: DefinitionLimits
  /// The domain part of event UIDs, after the `@`.
  package var calendarName: String
  /// The base of links to Outlook; see ``CalendarLinks/outlookStandard``.
  package var outlookLink: String

  package init(
    authentication: Authentication = .open, limits: ServerLimits = ServerLimits(),
    definitionLimits: DefinitionLimits = DefinitionLimits(), calendarName: String = "pickerd",
    outlookLink: String = CalendarLinks.outlookStandard
  ) {
    self.authentication = authentication
    self.limits = limits
    self.definitionLimits = definitionLimits
    self.calendarName = calendarName
    self.outlookLink = outlookLink
  }
}
