package import CivilTime
package import JSONText
package import PickerModel

/// The host's decision on a confirmation.
///
/// - Source: web/guide/decide.md.
package struct Settle: Hashable, Sendable {
  /// The confirmation that it is about, ``Confirmation/op``.
  package let op: String
  package let isGranted: Bool
  /// A text for the members.
  package let reason: Note.Text?
  /// Included in the result and in events.
  package let data: VerbatimJSON?

  /// The maximum length of ``op``, in UTF-8 bytes.
  package static let opBytesMax = 256
  /// The maximum length of ``reason``, in Unicode scalars.
  package static let reasonCountMax = 200

  package init(op: String, isGranted: Bool, reason: Note.Text? = nil, data: VerbatimJSON? = nil) {
    self.op = op
    self.isGranted = isGranted
    self.reason = reason
    self.data = data
  }

  /// Whether both are the same decision. ``data`` is compared as a JSON value, because a host that
  /// sends its decision again may write it in another way.
  package func isSame(as other: Settle) -> Bool {
    let isSameData =
      switch (data, other.data) {
      case (let data?, let otherData?): data.isSameValue(as: otherData)
      default: data == other.data
      }
    return op == other.op && isGranted == other.isGranted && reason == other.reason && isSameData
  }

  /// As in the log over HTTP, without `data`: `{"type":"settle","op","granted","reason"?}`.
  package var members: [JSONTree.Member] {
    var members: [JSONTree.Member] = [
      .init("type", .string("settle")), .init("op", .string(op)),
      .init("granted", .bool(isGranted)),
    ]
    if let reason { members.append(.init("reason", reason.tree)) }
    return members
  }

  /// Reads ``members``.
  ///
  /// - Returns: `nil` for anything else.
  package init?(_ tree: JSONTree, data: VerbatimJSON?) {
    guard let op = tree["op"]?.string, let isGranted = tree["granted"]?.bool else { return nil }
    self.init(
      op: op, isGranted: isGranted,
      reason: tree["reason"].flatMap {
        try? Note.Text($0, at: "reason", countMax: Settle.reasonCountMax)
      }, data: data)
  }
}

/// A decision that counted, and what came of it.
package struct Settlement: Hashable, Sendable {
  package let settle: Settle
  package let status: SessionStatus
  /// The revision of the delta with the new status.
  package let revision: Int

  package init(settle: Settle, status: SessionStatus, revision: Int) {
    self.settle = settle
    self.status = status
    self.revision = revision
  }
}

/// The outcome of a ``Settle``.
package enum SettleOutcome: Hashable, Sendable {
  /// It counted now, or it is the same as one that did.
  case done(Settlement)
  /// Something else was first.
  ///
  /// - Parameter reported: The decision if the host must be asked to undo its own side: it granted
  ///   a confirmation that was not confirmed, and was not asked before.
  case late(reported: Settle?)
  /// The session never had the confirmation.
  case unknown
}

/// A confirmation that waits for the host.
package struct Confirmation: Hashable, Sendable {
  /// Its id, which is random: nothing about the session follows from it.
  package let op: String
  /// Without a decision, the session is open again from then on.
  package let until: Instant

  package init(op: String, until: Instant) {
    self.op = op
    self.until = until
  }
}
