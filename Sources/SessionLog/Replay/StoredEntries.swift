package import CivilTime
package import Foundation
import PickerModel
package import PickerSession

/// Decodes the entries of a stored session while a server writes them: for checks from outside.
package struct StoredEntries {
  package let origin: SessionOrigin
  /// The limits of its creation.
  package let limits: SessionLimits
  /// Identifies the session in the tables.
  package let number: Int64
  private let rows: SQLRows

  /// - Returns: `nil` if there is no such session, or it has ended.
  package init?(
    of session: SessionID, limits: SessionLimits, _ connection: any SQLConnection,
    zone: @escaping (String) -> ZoneRules?
  ) throws {
    let make = { Definition.stored($0, zone: zone) }
    guard let rows = try SQLRows(session, connection, make: make) else { return nil }
    self.rows = rows
    number = rows.session.number
    (origin, self.limits) = try rows.created(limits) { try $0.makeDefinition(zone: zone) }
  }

  /// - Parameter fold: The state before the entry.
  package func entry(_ body: Data, after fold: borrowing SessionFold) throws -> LogEntry {
    try rows.entry(body, after: fold)
  }
}
