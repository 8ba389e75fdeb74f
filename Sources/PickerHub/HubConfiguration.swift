package import PickerModel
package import PickerWire

/// What a hub allows and how it gives roles.
package struct HubConfiguration: Sendable {
  package enum Authentication: String, Sendable, CaseIterable {
    /// Everybody may join; the first member of a session is its owner.
    case open
    /// Three tokens of the create answer are the roles.
    case token
  }

  package var authentication: Authentication
  package var limits: ServerLimits
  package var definitionLimits: DefinitionLimits
  /// What follows the `@` in the UIDs of events.
  package var calendarName: String
  /// As ``CalendarLinks/outlookStandard``.
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
