import Foundation
import PickerHub
import PickerSession

extension PostgresBatch {
  /// The statements that add the missing events of a session that has expired, and end it; the last
  /// one returns whether it has ended.
  ///
  /// - Parameter head: The last entry before the end; `nil` if the session cannot be read.
  static func expiry(
    of session: SessionID, head: Int?, _ event: FeedEvent, missed: [FeedRecord], node: Int,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> [PostgresStatement] {
    let lock = PostgresStatement(
      "SELECT FROM session WHERE id = $1 FOR NO KEY UPDATE", [.text(session.text)])
    let end = PostgresStatement(
      "SELECT expire_session($1, $2, $3, $4, $5, $6)",
      [.text(session.text), .int(head), .int(node)]
        + EventColumns([event], digest: digest).parameters)
    return [lock] + missed.map { feeding($0, of: session, digest: digest) } + [end]
  }

  /// The statement that adds the events of a record, once.
  static func feeding(
    _ record: FeedRecord, of session: SessionID, digest: ([UInt8]) -> [UInt8]
  ) -> PostgresStatement {
    PostgresStatement(
      "SELECT feed_events($1, $2, $3, $4, $5, $6, $7)",
      [
        .text(session.text), .int(record.previous), .int(record.sequence),
        .text(record.status?.rawValue),
      ] + EventColumns(record.events, digest: digest).parameters)
  }
}

/// Events as the parameters of the functions that add them.
struct EventColumns {
  var types: [String] = []
  var ids: [String] = []
  var bodies: [Data] = []

  init(_ events: [FeedEvent], digest: ([UInt8]) -> [UInt8]) {
    for event in events {
      let line = FeedLine(event, position: 0, digest: digest)
      types.append(line.type)
      ids.append(line.id)
      bodies.append(Data(line.body))
    }
  }

  var parameters: [PostgresValue] { [.texts(types), .texts(ids), .blobs(bodies)] }
}
