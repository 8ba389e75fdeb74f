import CivilTime
package import JSONText

/// A short text that the host attaches to a day of a calendar or to a row of a column.
///
/// - Source: web/guide/definitions.md, "Notes".
package struct Note: Hashable, Sendable {
  /// A hint for the colour in which clients draw a note, such as `low` for a low price.
  package enum Tone: String, Hashable, Sendable, CaseIterable {
    case low, high, good, bad
  }

  package enum Text: Hashable, Sendable {
    /// One text for every member.
    case same(String)
    /// One text or more, sorted by the UTF-8 bytes of their locales.
    case localized([LocalizedText])
  }

  package struct LocalizedText: Hashable, Sendable {
    /// A BCP 47 tag, as the host wrote it.
    package let locale: String
    package let text: String
  }

  package let text: Text
  package let tone: Tone?
  /// Added up by ``Notes/total(from:count:)``; only on days.
  package let amount: Amount?

  /// The maximum length of a text, in Unicode scalars.
  package static let charactersMax = 24
  /// The maximum number of locales of a text.
  package static let localesMax = 8
}

extension Note {
  /// The text that matches a member's language best.
  ///
  /// - Parameters:
  ///   - tag: The BCP 47 tag that the member requested.
  ///   - fallback: The definition's locale, used if no text matches `tag`. If none matches it
  ///     either, the first text is returned.
  /// - Source: RFC 4647 section 3.4, lookup.
  package func text(for tag: String, fallback: String) -> String {
    text.text(for: tag, fallback: fallback)
  }
}

extension Note.Text {
  /// The text that matches a member's language best, as ``Note/text(for:fallback:)``.
  package func text(for tag: String, fallback: String) -> String {
    switch self {
    case .same(let text): text
    case .localized(let texts):
      Note.Text.lookup(tag, in: texts) ?? Note.Text.lookup(fallback, in: texts) ?? texts[0].text
    }
  }

  private static func lookup(_ tag: String, in texts: [Note.LocalizedText]) -> String? {
    var range = tag.lowercased().split(separator: "-", omittingEmptySubsequences: false)
    while !range.isEmpty {
      let wanted = range.joined(separator: "-")
      if let found = texts.first(where: { $0.locale.lowercased() == wanted }) { return found.text }
      range.removeLast()
      // A singleton introduces the subtag that was just removed, so it goes too.
      while let last = range.last, last.utf8.count == 1 { range.removeLast() }
    }
    return nil
  }
}

extension Note {
  /// The memory of the note in bytes, an estimate.
  var byteCount: Int {
    switch text {
    case .same(let text): 128 + text.utf8.count
    case .localized(let texts):
      texts.reduce(128) { $0 + 96 + $1.locale.utf8.count + $1.text.utf8.count }
    }
  }

  /// The note as JSON, in the form in which a host sends it.
  package var tree: JSONTree {
    let tone: [JSONTree.Member] = tone.map { [.init("tone", .string($0.rawValue))] } ?? []
    let amount: [JSONTree.Member] = amount.map { [.init("amount", $0.tree)] } ?? []
    return .object([.init("text", text.tree)] + tone + amount)
  }

  /// Applies a patch that has a single text, and perhaps a tone and an amount, without merging
  /// documents: the usual case, of which there can be thousands in a patch.
  ///
  /// - Parameter isOnDay: Whether the note can have an amount.
  /// - Returns: `nil` for all other patches, and for an invalid note.
  init?(plain patch: JSONTree, over known: Note?, isOnDay: Bool) {
    guard case .object(let members) = patch else { return nil }
    var text: String?
    var tone = known?.tone
    var amount = known?.amount
    for member in members {
      switch (member.key, member.value) {
      case ("text", .string(let value)): text = value
      case ("tone", .string(let value)):
        guard let named = Tone(rawValue: value) else { return nil }
        tone = named
      case ("amount", let value) where isOnDay:
        guard let read = Amount(value) else { return nil }
        amount = read
      default: return nil
      }
    }
    guard let text, Note.Text.isValid(text, Note.charactersMax) else { return nil }
    self.init(text: .same(text), tone: tone, amount: amount)
  }

  /// Reads a note.
  ///
  /// - Parameters:
  ///   - subject: How error details name the note: `the note on 2026-12-24`.
  ///   - isOnDay: Whether the note can have an amount.
  init(_ tree: JSONTree, at subject: String, isOnDay: Bool) throws(BadNotes) {
    guard let members = tree.members else {
      throw BadNotes("\(subject) must be an object like {\"text\":\"sold out\"}, or null")
    }
    let fields = isOnDay ? ["text", "tone", "amount"] : ["text", "tone"]
    for member in members where !fields.contains(member.key) {
      throw BadNotes(
        "\(subject) has the unknown field \(member.key.quoted); the fields are "
          + "\(isOnDay ? "text, tone and amount" : "text and tone")")
    }
    guard let text = tree["text"] else { throw BadNotes("\(subject) has no text") }
    self.text = try Text(text, at: "text of \(subject)")
    amount = try tree["amount"].map { tree throws(BadNotes) in
      if let amount = Amount(tree) { return amount }
      throw BadNotes(
        "amount of \(subject) must be a number from 0 to \(Amount.maximum) with at most two "
          + "decimals")
    }
    guard let tone = tree["tone"] else {
      self.tone = nil
      return
    }
    guard let known = tone.string.flatMap(Tone.init(rawValue:)) else {
      let tones = Tone.allCases.map(\.rawValue).joined(separator: ", ")
      throw BadNotes("tone of \(subject) must be one of \(tones)")
    }
    self.tone = known
  }
}

extension Note.Text {
  /// The text as JSON: a string, or an object of strings by locale.
  package var tree: JSONTree {
    switch self {
    case .same(let text): .string(text)
    case .localized(let texts): .object(texts.map { .init($0.locale, .string($0.text)) })
    }
  }

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - subject: How error details name it.
  ///   - countMax: The maximum length in each locale, in Unicode scalars.
  package init(
    _ tree: JSONTree, at subject: String, countMax: Int = Note.charactersMax
  ) throws(BadNotes) {
    switch tree {
    case .string(let text):
      try Note.Text.check(text, at: subject, countMax)
      self = .same(text)
    case .object(let members):
      guard (1...Note.localesMax).contains(members.count) else {
        throw BadNotes("\(subject) must have 1 to \(Note.localesMax) locales")
      }
      var texts: [Note.LocalizedText] = []
      for member in members {
        guard LanguageTag.isWellFormed(member.key) else {
          throw BadNotes(
            "\(subject) has the key \(member.key.quoted), not a BCP 47 tag")
        }
        guard let text = member.value.string else {
          throw BadNotes("\(subject) for \(member.key.quoted) must be a string")
        }
        try Note.Text.check(text, at: subject, countMax)
        texts.append(.init(locale: member.key, text: text))
      }
      texts.sort { $0.locale.utf8.lexicographicallyPrecedes($1.locale.utf8) }
      self = .localized(texts)
    case .null, .bool, .integer, .number, .array:
      throw BadNotes("\(subject) must be a string, or an object of strings by locale")
    }
  }

  private static func check(
    _ text: String, at subject: String, _ maximum: Int
  ) throws(BadNotes) {
    guard isValid(text, maximum) else {
      throw BadNotes("\(subject) must have 1 to \(maximum) characters")
    }
  }

  fileprivate static func isValid(_ text: String, _ maximum: Int) -> Bool {
    !text.isEmpty && text.unicodeScalars.dropFirst(maximum).isEmpty
  }
}

/// Why notes are invalid.
package struct BadNotes: Error, Hashable, Sendable {
  /// One sentence for developers: which note is invalid, and what would be valid.
  package let detail: String

  init(_ detail: String) { self.detail = detail }
}
