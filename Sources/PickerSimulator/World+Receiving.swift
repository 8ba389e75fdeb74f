import JSONText
import PickerHub
import PickerModel
import PickerSession

/// What clients make of what they receive.
extension World {
  func reachClient(_ id: ConnectionID, _ message: Downward) {
    guard let link = links[id.raw] else { return }
    let client = clients[link.client]
    // What comes over a connection that the client has given up is not read.
    guard client.link === link else { return }
    switch message {
    case .frame(let octets):
      do throws(ProtocolBreach) {
        try read(octets, client, link)
      } catch {
        let text = String(decoding: octets.prefix(1000), as: UTF8.self)
        breach("\(error.sentence)\n  client \(client.number), connection \(id.raw): \(text)")
      }
    case .closed(let code): lose(client, link, code)
    }
  }

  /// A client acts by the band of the code.
  private func lose(_ client: SimulatedClient, _ link: Link, _ code: UInt16) {
    client.link = nil
    switch code {
    case 4404, 4410:
      client.isRetired = link.session == client.session.id
    case 1000, 1002...1005, 1007..<4500:
      client.forget()
    default: break
    }
  }

  private func read(
    _ octets: [UInt8], _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    let message: JSONTree
    do throws(JSONError) {
      message = try JSONTree.parse(octets)
    } catch {
      throw ProtocolBreach("every message is JSON: \(error)")
    }
    let type = try message.text("type")
    switch type {
    case "welcome": return try welcome(message, client, link)
    case "draining":
      try message.has(["type", "reconnectAfterMs"])
      if !isDraining { throw ProtocolBreach("a server that stays does not drain") }
      return
    case "error": return try message.has(["type", "code", "detail"])
    default: break
    }
    guard client.fold != nil, link.hasWelcome else {
      throw ProtocolBreach("a welcome comes first")
    }
    switch type {
    case "delta":
      try client.fold?.take(delta: message)
      try take(ownDelta: message, client, link)
    case "reply":
      try message.has(["type", "ref", "revision"])
      let revision = try message.number("revision")
      guard revision <= client.fold!.revision else {
        throw ProtocolBreach("all deltas come before a reply")
      }
      try answer(
        try message.number("ref"), .done(revision: link.isSlow ? nil : revision), client, link)
    case "refused": try take(refused: message, client, link)
    case "snapshot":
      try client.fold?.take(snapshotMessage: message)
      guard link.isSlow else { throw ProtocolBreach("only who is slow needs a snapshot") }
    case "months": try client.fold?.take(months: message)
    case "rows": try client.fold?.take(rows: message)
    case "presence": try client.fold?.take(presence: message)
    default: throw ProtocolBreach("\(type) is a message")
    }
    try check(client, isThorough: type == "snapshot")
  }

  private func welcome(
    _ message: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    guard !link.hasWelcome else { throw ProtocolBreach("a welcome comes once") }
    link.hasWelcome = true
    let member = try message.part("member")
    let isSame = client.fold?.me == (try member.text("id"))
    if !isSame { client.verdicts = [:] }
    guard try message.text("locale") == language(of: client).tag else {
      throw ProtocolBreach("a welcome names the locale of the texts")
    }
    let remembered = client.verdicts.filter { $0.value.isRemembered }.keys.max() ?? 0
    guard try message.number("ref") >= remembered, try message.number("ref") < client.nextRef
    else { throw ProtocolBreach("a welcome has the member's greatest ref: \(remembered)") }
    let before = client.fold.flatMap { $0.revision == link.resumeRevision ? $0 : nil }
    let fold = try ClientFold(welcome: message, before: before)
    client.secret = try member.text("secret")
    if message["snapshot"] == nil {
      let own = link.missed.compactMap { $0.author?.member.text == fold.me ? $0.author?.ref : nil }
      link.expected = own + link.expected
    } else if isSame, let revision = link.resumeRevision, let attach = link.attachRevision,
      revision >= 0, revision <= attach, attach - revision <= profile.limits.session.history,
      !link.hasWrongEpoch
    {
      throw ProtocolBreach("who missed little is resumed: \(revision) of \(attach)")
    }
    client.fold = fold
    try check(client, isThorough: true)
  }

  private func take(
    ownDelta delta: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    guard delta["ref"] != nil else {
      guard delta["by"]?.string != client.fold?.me else {
        throw ProtocolBreach("who gave a command gets its ref")
      }
      return
    }
    guard delta["by"]?.string == client.fold?.me else {
      throw ProtocolBreach("only the author's copy carries a ref")
    }
    let revision = try delta.number("revision")
    try answer(try delta.number("ref"), .done(revision: revision), client, link)
  }

  private func take(
    refused: JSONTree, _ client: SimulatedClient, _ link: Link
  ) throws(ProtocolBreach) {
    try client.fold?.take(refused: refused)
    let code = try refused.text("code")
    guard Rejection(rawValue: code) != nil else { throw ProtocolBreach("\(code) is a refusal") }
    guard refused["ref"] != nil else {
      guard ["tooMany", "wrongKind", "noSuchColumn"].contains(code), link.looseCount > 0 else {
        throw ProtocolBreach("a refusal says of what: \(code)")
      }
      link.looseCount -= 1
      return
    }
    try answer(try refused.number("ref"), .refused(code: code), client, link)
  }

  /// Every command is answered once, in the order in which they were sent.
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

  /// What the client sees is what stood at its revision.
  func check(_ client: SimulatedClient, isThorough: Bool) throws(ProtocolBreach) {
    guard let fold = client.fold, let truth = replicas[client.session.id]?.truths[fold.revision]
    else { return }
    try fold.check(against: truth, language(of: client), isThorough: isThorough)
  }

  /// The texts that a client is promised.
  func language(of client: SimulatedClient) -> any RowTexts {
    let fallback = client.session.definition["locale"]?.string ?? "en"
    return client.locale.flatMap { texts.texts(for: $0) } ?? texts.texts(for: fallback)
      ?? EnglishTexts()
  }
}
