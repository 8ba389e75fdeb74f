import JSONText
import PickerClient
import PickerHub
import PickerModel
import PickerSession

/// Messages that arrive at clients: each is checked against the protocol and passed to the machine,
/// whose state is then compared with the session's at that revision.
extension World {
  func reachClient(_ id: ConnectionID, _ message: Downward) {
    guard let link = links[id.raw] else { return }
    guard let number = link.client else { return reachStream(message, link) }
    let client = clients[number]
    // Messages on a connection that the client has abandoned are not read.
    guard client.link === link else { return }
    switch message {
    case .opened: give(.opened, to: client)
    case .frame(let bytes):
      do throws(ProtocolBreach) {
        try take(bytes, client, link)
      } catch {
        let text = String(decoding: bytes.prefix(1000), as: UTF8.self)
        breach("\(error.sentence)\n  client \(client.number), connection \(id.raw): \(text)")
      }
    case .closed(let code):
      client.link = nil
      if code == 4404 || code == 4410 { client.isRetired = link.session == client.session.id }
      give(.closed(code: Int(code)), to: client)
    }
  }

  private func reachStream(_ message: Downward, _ link: Link) {
    guard case .frame(let bytes) = message else { return }
    do throws(ProtocolBreach) {
      try check(streamed: bytes, link)
    } catch {
      breach("\(error.sentence)\n  stream \(link.id.raw)")
    }
  }

  private func take(
    _ bytes: [UInt8], _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    let message: JSONTree
    do throws(JSONError) {
      message = try JSONTree.parse(bytes)
    } catch {
      throw ProtocolBreach("every message is JSON: \(error)")
    }
    let type = try message.text("type")
    try check(message, type: type, client, link)
    let predicted = client.state.pendingCount == 1 ? client.state.predictedRange : nil
    if client.session.isAvailability { try checkHidden(message, type: type, client) }
    give(.received(bytes), to: client)
    if client.session.isAvailability { noteAudience(message, type: type, client) }
    if type == "delta", let predicted { try checkPrediction(message, predicted, client) }
    guard client.link === link, client.state.connection == .live else { return }
    if type == "delta", let truth = replica(of: client)?.truths[client.state.revision],
      client.state.hasMovedCells(truth.picker, in: link.shownMonths)
    {
      link.awaitsMonths = true
    }
    let isHosts = (message["changes"]?.array ?? []).contains {
      ["definition", "notes"].contains($0["change"]?.string)
    }
    try check(
      client, isThorough: isHosts || ["welcome", "snapshot", "rows", "found"].contains(type))
  }

  private func check(
    _ message: JSONTree, type: String, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    switch type {
    case "welcome": return try check(welcome: message, client, link)
    case "draining":
      try message.has(["type", "reconnectAfterMs"])
      if !isDraining, link.node?.isStopping != true {
        throw ProtocolBreach("only a draining server sends draining")
      }
      return
    case "error": return try message.has(["type", "code", "detail"])
    default: guard link.hasWelcome else { throw ProtocolBreach("a welcome comes first") }
    }
    switch type {
    case "delta": try check(delta: message, client, link)
    case "reply":
      try message.has(["type", "ref", "revision"])
      let revision = try message.number("revision")
      guard revision <= link.revision else {
        throw ProtocolBreach("all deltas come before a reply")
      }
      try answer(
        try message.number("ref"), .done(revision: link.isSlow ? nil : revision), client, link)
    case "refused": try check(refused: message, client, link)
    case "snapshot": try check(snapshot: message, link)
    case "months": try check(months: message, link)
    case "rows": try check(rows: message, client)
    case "found": try MessageRules.check(found: message)
    case "presence": try check(presence: message, client, link)
    default: throw ProtocolBreach("\(type) is a message")
    }
  }

  private func check(
    welcome message: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    guard !link.hasWelcome else { throw ProtocolBreach("a welcome comes once") }
    link.hasWelcome = true
    try MessageRules.check(welcome: message)
    let me = try message.part("member").text("id")
    let epoch = try message.text("epoch")
    let isSame = client.machine.identity?.member == me
    if let known = client.epoch, known != epoch {
      guard hasFailedOver else { throw ProtocolBreach("epochs stay while nothing can be lost") }
      client.noteEpoch()
      link.hasWrongEpoch = true
    } else if isSame, try message.number("revision") < client.state.revision {
      throw ProtocolBreach("a revision that was received is never lost: \(client.state.revision)")
    }
    client.epoch = epoch
    if !isSame { client.becomeAnother() }
    let tag = try message.text("locale")
    guard languageTags(of: client).contains(tag) else {
      throw ProtocolBreach("a welcome names the locale of the texts")
    }
    if try !message.flag("resumed") { client.languageTags = [] }
    client.languageTags.append(tag)
    let remembered = client.verdicts.filter { $0.value.isRemembered }.keys.max() ?? 0
    let ref = try message.number("ref")
    guard ref >= remembered, ref < client.machine.nextRef else {
      throw ProtocolBreach("a welcome has the member's greatest ref: \(remembered)")
    }
    link.revision = try message.number("revision")
    let mine = try message.list("members").first { $0["id"] == .string(me) }
    guard mine?["online"] == .bool(true) else {
      throw ProtocolBreach("members contains the recipient: \(me)")
    }
    if try message.flag("resumed") {
      guard message["snapshot"] == nil, isSame, link.resumeRevision == client.state.revision,
        link.revision == client.state.revision,
        client.state.epoch == (try message.text("epoch"))
      else { throw ProtocolBreach("a resumed client continues at its revision") }
      let own = link.missed.compactMap { $0.author?.member.text == me ? $0.author?.ref : nil }
      link.expected = own + link.expected
    } else {
      _ = try message.part("snapshot")
      let member = MemberID(me)
      let maySeeOther =
        link.resumeRevision.map {
          replica(of: client)?.fold.mayResume(member, after: $0) == false
        } ?? false
      if !maySeeOther { try checkNotResumed(link, isSame: isSame) }
    }
    link.didFlood = client.state.pendingCount > profile.limits.messagesPerSecond || link.didFlood
  }

  private func checkNotResumed(_ link: Link, isSame: Bool) throws(ProtocolBreach) {
    guard isSame, let revision = link.resumeRevision,
      let attach = link.attachRevision,
      revision >= 0, revision <= attach, attach - revision <= profile.limits.session.history,
      !link.hasWrongEpoch, !profile.isMemoryShort
    else { return }
    throw ProtocolBreach("a client that missed few revisions resumes: \(revision) of \(attach)")
  }

  private func check(
    delta: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    try MessageRules.check(delta: delta, shownMonths: link.shownMonths)
    let revision = try delta.number("revision")
    guard revision == link.revision + 1 else {
      throw ProtocolBreach("revisions have no gaps: \(link.revision), then \(delta.shown)")
    }
    link.revision = revision
    guard let deltas = replica(of: client)?.deltas, revision <= deltas.count else {
      throw ProtocolBreach("a delta that is sent is in the log")
    }
    if try delta.list("changes").isEmpty, !client.session.isAvailability {
      switch deltas[revision - 1].change {
      case .notes where client.session.isCalendar, .inventory: break
      default: throw ProtocolBreach("a delta changes something")
      }
    }
    let author = deltas[revision - 1].author
    let isHidden = isHidden(deltas[revision - 1], from: client)
    let by = isHidden == true ? nil : author?.member.text
    guard delta["by"]?.string == by || isHidden == nil && delta["by"] == nil else {
      throw ProtocolBreach("a delta is by \(author?.member.text ?? "nobody")")
    }
    let isMine = author != nil && author?.member.text == client.state.me?.id
    guard delta["ref"]?.integer == (isMine ? author?.ref : nil) else {
      throw ProtocolBreach("the author's copy carries the ref, and no other")
    }
    guard isMine else { return }
    try checkStored(try delta.number("ref"), client)
    try answer(try delta.number("ref"), .done(revision: revision), client, link)
  }

  private func check(
    refused: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    try MessageRules.check(refused: refused)
    guard try refused.number("revision") == link.revision else {
      throw ProtocolBreach("all deltas come before a refusal: \(link.revision)")
    }
    let code = try refused.text("code")
    guard Rejection(rawValue: code) != nil else { throw ProtocolBreach("\(code) is a refusal") }
    guard refused["ref"] != nil else {
      guard ["tooMany", "wrongKind", "noSuchColumn"].contains(code), link.looseCount > 0 else {
        throw ProtocolBreach("the refusal of a command has its ref: \(code)")
      }
      link.looseCount -= 1
      return
    }
    try answer(try refused.number("ref"), .refused(code: code), client, link)
  }

  /// Checks that each command is answered once, in the order of sending.
  private func answer(
    _ ref: Int, _ verdict: SimulatedClient.Verdict, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    guard link.expected.first == ref else {
      throw ProtocolBreach(
        "commands are answered once and in order: \(link.expected.prefix(6)), not \(ref)")
    }
    link.expected.removeFirst()
    try client.note(ref, verdict)
  }

  private func check(snapshot: JSONTree, _ link: Link) throws(ProtocolBreach) {
    try MessageRules.check(snapshotMessage: snapshot)
    guard link.isSlow || link.client.map({ clients[$0].session.isAvailability }) == true else {
      throw ProtocolBreach("only a slow client gets a snapshot")
    }
    let revision = try snapshot.number("revision")
    guard revision >= link.revision else { throw ProtocolBreach("a snapshot does not go back") }
    link.revision = revision
    link.shownMonths = []
    link.awaitsMonths = false
    link.hasNewMembers = true
  }

  private func check(months: JSONTree, _ link: Link) throws(ProtocolBreach) {
    try MessageRules.check(months: months)
    guard try months.number("revision") == link.revision else {
      throw ProtocolBreach("all deltas come before months: \(link.revision)")
    }
    link.shownMonths = Set(try months.list("months").compactMap { $0["month"]?.string })
    link.awaitsMonths = false
  }

  private func check(rows: JSONTree, _ client: SimulatedClient) throws(ProtocolBreach) {
    let index = try rows.number("column")
    guard client.state.columns.indices.contains(index),
      try rows.number("generation") == client.state.columns[index].generation
    else { throw ProtocolBreach("rows have the generation of the reload: \(rows.shown)") }
    try MessageRules.check(rows: rows, count: client.state.columns[index].count)
  }

  private func check(
    presence: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    try MessageRules.check(presence: presence)
    let me = client.state.me
    for member in presence["changed"]?.array ?? [] {
      guard let known = client.state.member(member["id"]?.string) else {
        throw ProtocolBreach("a changed member is known: \(member.shown)")
      }
      guard
        known.id != me?.id || known.role.rawValue != member["role"]?.string || link.hasNewMembers
      else {
        throw ProtocolBreach("presence about the recipient is only a change of its role")
      }
    }
    let others =
      (presence["joined"]?.array ?? []).compactMap { $0["id"]?.string }
      + (presence["left"]?.array ?? []).compactMap(\.string)
      + (presence["touching"]?.array ?? []).compactMap { $0["member"]?.string }
    guard !others.contains(where: { $0 == me?.id }) else {
      throw ProtocolBreach("presence does not mention the recipient")
    }
    link.hasNewMembers = false
  }

  /// Checks that a predicted tap equals its answer.
  private func checkPrediction(
    _ delta: JSONTree, _ predicted: PickerRange, _ client: SimulatedClient
  ) throws(ProtocolBreach) {
    guard let ref = delta["ref"]?.integer,
      client.answered.last.map({ $0.ref == ref && $0.isGenuine }) == true,
      let range = client.state.range
    else { return }
    guard (predicted.start, predicted.end, predicted.hits) == (range.start, range.end, range.hits)
    else { throw ProtocolBreach("a tap does what was predicted: \(predicted), not \(range)") }
  }

  /// Compares the client's state with the session's at the same revision.
  func check(_ client: SimulatedClient, isThorough: Bool) throws(ProtocolBreach) {
    let state = client.state
    guard let truth = replica(of: client)?.truths[state.revision] else { return }
    let audience = client.session.isAvailability ? client.audience : .everything
    try state.check(
      against: truth, reader(for: client), audience: audience,
      zone: client.machine.profile.timeZone.flatMap { zones.rules(named: $0) },
      isThorough: isThorough)
    guard let link = client.link, !link.awaitsMonths else { return }
    try state.checkBands(of: truth.picker, in: link.shownMonths)
    if isThorough { try state.checkNotes(truth, reader(for: client), in: link.shownMonths) }
  }

  /// The texts that a client must receive, by its locale or the definition's.
  func language(of client: SimulatedClient) -> any RowTexts {
    client.languageTags.last.flatMap { texts.texts(for: $0) } ?? EnglishTexts()
  }

  func reader(for client: SimulatedClient) -> TextReader {
    let fallbacks = replica(of: client)?.locales ?? []
    let own = client.locale.map { Set([$0]) } ?? fallbacks
    return TextReader(
      texts: client.languageTags.map { texts.texts(for: $0) ?? EnglishTexts() },
      tags: own.union(client.languageTags), fallbacks: fallbacks)
  }

  /// The locales whose texts a client may get, by those of the definitions since its creation.
  private func languageTags(of client: SimulatedClient) -> Set<String> {
    let own = client.locale.flatMap { texts.texts(for: $0) }
    let fallbacks = replica(of: client)?.locales ?? []
    return Set(fallbacks.map { (own ?? texts.texts(for: $0) ?? EnglishTexts()).tag })
  }
}
