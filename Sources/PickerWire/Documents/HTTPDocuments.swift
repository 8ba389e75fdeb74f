import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The tokens that the creator of a session gets.
package enum CreatedTokens: Sendable {
  case none
  /// One for each role.
  case roles([(role: Role, token: String)])
  /// That of the only owner.
  case owner(String)
}

/// The response bodies of HTTP requests about sessions.
package enum HTTPDocument {
  /// The response to `POST /v1/sessions`.
  ///
  /// - Parameter differs: Whether the session was created with another body.
  package static func created(
    _ id: SessionID, epoch: String, revision: Int, socket: String,
    tokens: CreatedTokens, differs: Bool = false
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.literal("{\"session\":", id.text)
    writer.literal(",\"epoch\":", epoch)
    writer.literal(",\"revision\":", revision)
    writer.literal(",\"socket\":", socket)
    switch tokens {
    case .none: break
    case .owner(let token):
      writer.literal(",\"ownerToken\":", token)
    case .roles(let tokens):
      writer.literal(",\"tokens\":{")
      for (index, entry) in tokens.enumerated() {
        if index > 0 { writer.literal(",") }
        writer.string(entry.role.rawValue)
        writer.literal(":", entry.token)
      }
      writer.literal("}")
    }
    if differs { writer.literal(",\"differs\":true") }
    writer.literal("}")
    return writer.bytes
  }

  /// The current state of a session.
  ///
  /// - Parameters:
  ///   - online: The members that are connected.
  ///   - versionWithoutChange: See ``Session/versionWithoutChange``.
  ///   - isFull: Whether the definition is with its nodes or columns.
  ///   - seesAll: Whether the reader may change the session; others get neither `external`, `meta`
  ///     nor the definition's `taken`.
  ///   - sight: What the reader sees of marks.
  ///   - links: `nil` if the session has no calendar event.
  ///   - windowRows: The maximum of rows per column.
  package static func session(
    _ fold: SessionFold, online: Set<MemberID> = [], versionWithoutChange: Int = 0,
    isFull: Bool = false, seesAll: Bool, sight: Sight = .everything, links: CalendarLinks? = nil,
    texts: any RowTexts, windowRows: Int
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.literal("{\"session\":", fold.origin.id.text)
    writer.literal(",\"epoch\":", fold.origin.epoch)
    writer.literal(",\"revision\":", fold.revision)
    writer.literal(",\"version\":", fold.version)
    writer.literal(",\"status\":", fold.status.rawValue)
    writer.reason(fold.decision.cancelReason, texts: texts, locale: fold.definition.locale)
    writer.confirmation(fold.decision.confirmation)
    if let title = fold.origin.title {
      writer.literal(",\"title\":")
      writer.string(title.text(for: texts.noteTag, fallback: fold.definition.locale))
    }
    for field in fold.origin.host.event.fields {
      writer.literal(",\"")
      writer.raw(field.name)
      writer.literal("\":", field.text)
    }
    if seesAll {
      writer.hostFields(fold.origin)
      writer.uses(fold, versionWithoutChange)
    }
    writer.literal(",\"snapshot\":")
    let definition =
      isFull ? fold.definition.fullJSON(seesAll: seesAll) : seesAll ? fold.definition.json : nil
    writer.snapshot(
      fold, sight: sight, definitionJSON: definition, texts: texts, windowRows: windowRows)
    writer.literal(",\"members\":")
    writer.members(of: fold) { online.contains($0) }
    if let links { writer.links(links) }
    writer.literal("}")
    return writer.bytes
  }

  /// The result of a session in the list of sessions.
  package static func result(_ fold: SessionFold) -> [UInt8] {
    var writer = JSONWriter()
    writer.result(fold.reported(fold.result, status: fold.status), data: fold.decision.data)
    return writer.bytes
  }

  /// The picker that a session with a definition would have now.
  package static func check(
    _ picker: Picker, texts: any RowTexts, windowRows: Int
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.literal("{\"snapshot\":")
    writer.pickerSnapshot(
      picker, definition: picker.definition, definitionJSON: picker.definition.json, version: 1,
      notes: Notes(), result: picker.result, status: .open, texts: texts, windowRows: windowRows)
    writer.literal("}")
    return writer.bytes
  }

  /// The response to a change of the definition or the notes.
  ///
  /// - Parameter delta: The delta that the change made.
  package static func changed(
    _ delta: Delta, version: Int, sight: Sight = .everything, texts: any RowTexts,
    windowRows: Int
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: 4096)
    writer.literal("{\"revision\":", delta.revision)
    writer.literal(",\"version\":", version)
    writer.literal(",\"changes\":[")
    var cache = RowsCache(count: 0)
    _ = writer.changes(
      of: delta, bands: delta.dayNotes(texts: texts), sight: sight, texts: texts,
      windowRows: windowRows, &cache)
    writer.literal("]}")
    return writer.bytes
  }

  /// The response to a change, without what has changed.
  package static func changed(revision: Int, version: Int) -> [UInt8] {
    Array("{\"revision\":\(revision),\"version\":\(version)}".utf8)
  }

  /// The response to a change that changes nothing.
  package static func unchanged(revision: Int, version: Int) -> [UInt8] {
    Array("{\"revision\":\(revision),\"version\":\(version),\"changes\":[]}".utf8)
  }

  /// One line of a session's log as JSON, with its newline.
  ///
  /// The line of revision 1 has the session's origin in `session`, so that a downloaded log is
  /// complete: it can be replayed elsewhere. The changes are those that members received.
  /// - Parameter seesAll: Whether the reader may change the session; for others, definitions are
  ///   without `taken`, and the command `confirm` is without its `op`. That is for brevity: an `op`
  ///   permits nothing, and all see it in the session that waits and in the host's decision.
  package static func logLine(
    _ delta: Delta, of origin: SessionOrigin, seesAll: Bool, sight: Sight = .everything,
    texts: any RowTexts, windowRows: Int,
    into writer: inout JSONWriter
  ) {
    writer.literal("{\"revision\":", delta.revision)
    if delta.revision == 1 { writer.origin(origin, seesAll: seesAll) }
    writer.literal(",\"at\":", delta.at.rfc3339)
    if let author = delta.author, delta.by(for: sight) == nil {
      writer.literal(",\"command\":{\"type\":", author.command.type)
      writer.literal("}")
    } else if let command = delta.hostCommand {
      writer.literal(",\"host\":true,\"command\":")
      writer.command(
        delta.shown(command, to: sight), if: delta.precondition,
        op: seesAll ? delta.begunOp : nil, seesAll: seesAll)
    } else if let author = delta.author {
      writer.literal(",\"by\":", author.member.text)
      writer.literal(",\"ref\":", author.ref)
      writer.literal(",\"command\":")
      writer.command(
        delta.shown(author.command, to: sight), if: delta.precondition,
        op: seesAll ? delta.begunOp : nil)
    } else {
      writer.commandWithoutAuthor(delta.change, seesAll: seesAll)
    }
    writer.literal(",\"changes\":[")
    var cache = RowsCache(count: 0)
    _ = writer.changes(
      of: delta, bands: delta.dayNotes(texts: texts), sight: sight, texts: texts,
      windowRows: windowRows, &cache)
    writer.literal("]}\n")
  }
}

extension JSONWriter {
  /// The field `command` of a delta without author, which the host or time made.
  fileprivate mutating func commandWithoutAuthor(_ change: SessionChange, seesAll: Bool) {
    literal(",\"command\":")
    if case .status(let change) = change, let settle = change.settle { return self.settle(settle) }
    literal("{\"type\":")
    switch change {
    case .definition(let redefinition, _, tappedBy: _):
      literal("\"define\",\"version\":", redefinition.version)
      literal(",\"definition\":")
      raw(redefinition.definition.fullJSON(seesAll: seesAll))
      if let edit = redefinition.notes {
        literal(",\"notes\":")
        raw(edit.patch)
      }
    case .notes(let edit):
      literal("\"note\",\"notes\":")
      raw(edit.patch)
    case .inventory(let news, _, tappedBy: _): inventoryNews(news)
    case .picker, .status: literal("\"tick\"")
    }
    literal("}")
  }

  /// `,"session":{"id","epoch","createdAt","openTap","decide"?,"reopen"?,"cancel"?,"notes"?,…}`
  /// with the full definition.
  fileprivate mutating func origin(_ origin: SessionOrigin, seesAll: Bool) {
    literal(",\"session\":{\"id\":", origin.id.text)
    literal(",\"epoch\":", origin.epoch)
    literal(",\"createdAt\":", origin.createdAt.rfc3339)
    literal(",\"openTap\":", origin.openTap.rawValue)
    decide(origin)
    if origin.host.isReopenedByHost { literal(",\"reopen\":\"host\"") }
    if origin.host.isCancelledByHost { literal(",\"cancel\":\"host\"") }
    if !origin.notes.isEmpty { literal(",\"notes\":", origin.notes.tree) }
    if let result = origin.result { literal(",\"result\":", result.tree) }
    literal(",\"definition\":")
    raw(origin.definition.fullJSON(seesAll: seesAll))
    literal("}")
  }

  /// `,"uses":{"name","version"}`, if the session uses a shared definition.
  fileprivate mutating func uses(_ fold: SessionFold, _ versionWithoutChange: Int) {
    guard let name = fold.origin.uses?.name, let shared = fold.shared else { return }
    literal(",\"uses\":{\"name\":", SharedDefinition.givenName(name))
    literal(",\"version\":", max(shared.version, versionWithoutChange))
    literal("}")
  }
}

extension Delta {
  /// The id of the confirmation on which the host decides, if the delta begins one.
  fileprivate var begunOp: String? {
    guard case .status(let change) = change, change.status == .confirming else { return nil }
    return change.op
  }
}
