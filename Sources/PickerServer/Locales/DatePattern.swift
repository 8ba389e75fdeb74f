/// A compiled date pattern of a locale. Every field is a table lookup, so that formatting a date
/// does not use Foundation.
///
/// - Source: Unicode TR35, "Date Format Patterns": letters are fields, everything else is literal.
struct DatePattern: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case literal(String)
    /// The year in the locale's digits, without leading zeros.
    case year
    /// Indexed by month − 1.
    case month([String])
    /// Indexed by day − 1.
    case day([String])
    /// Indexed by weekday − 1, Sunday first.
    case weekday([String])
  }

  private(set) var parts: [Part] = []

  /// Compiles `pattern`.
  ///
  /// - Parameter samples: Formats a single field (`MMM`, `d`) for each of the 12 months, 31 days or
  ///   7 weekdays, starting with Sunday, or once for any other field.
  init(_ pattern: String, samples: (_ field: String, _ kind: Sample) -> [String]) {
    for piece in DatePattern.pieces(of: pattern) {
      switch piece {
      case .literal(let text): parts.append(.literal(text))
      case .field(let field):
        switch field.first {
        case "y", "u", "r": parts.append(.year)
        case "M", "L": parts.append(.month(samples(field, .months)))
        case "d": parts.append(.day(samples(field, .days)))
        case "E", "e", "c": parts.append(.weekday(samples(field, .weekdays)))
        default: parts.append(.literal(samples(field, .one).first ?? ""))
        }
      }
    }
  }

  enum Sample: Sendable { case months, days, weekdays, one }

  func text(year: (Int) -> String, _ date: (year: Int, month: Int, day: Int, weekday: Int))
    -> String
  {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .year: text += year(date.year)
      case .month(let months): text += months[date.month - 1]
      case .day(let days): text += days[date.day - 1]
      case .weekday(let weekdays): text += weekdays[date.weekday - 1]
      }
    }
    return text
  }

  /// The same pattern with `word` in place of the weekday, such as `Today, Nov 23`.
  ///
  /// The word is capitalized if the locale's weekdays are.
  func replacingWeekday(by word: String) -> DatePattern {
    var replaced = self
    replaced.parts = parts.map { part in
      guard case .weekday(let weekdays) = part else { return part }
      let isCapital = weekdays.first?.first?.isUppercase == true
      return .literal(isCapital ? word.prefix(1).uppercased() + word.dropFirst() : word)
    }
    return replaced
  }
}

extension DatePattern {
  private enum Piece { case literal(String), field(String) }

  /// A time pattern: the parts before, between and after the fields of hours and minutes.
  static func timeParts(
    of pattern: String
  ) -> (before: String, hour: String, between: String, after: String)? {
    var (texts, fields) = ([""], [String]())
    for piece in pieces(of: pattern) {
      switch piece {
      case .literal(let text): texts[texts.count - 1] += text
      case .field(let field):
        fields.append(field)
        texts.append("")
      }
    }
    guard fields.count == 2, fields[0].first == "H", fields[1].first == "m" else { return nil }
    return (texts[0], fields[0], texts[1], texts[2])
  }

  private static func pieces(of pattern: String) -> [Piece] {
    var pieces: [Piece] = []
    var rest = Substring(pattern)
    while let first = rest.first {
      if first == "'" {
        pieces.append(.literal(quoted(&rest)))
      } else if first.isASCII && first.isLetter {
        let field = rest.prefix { $0 == first }
        rest = rest.dropFirst(field.count)
        pieces.append(.field(String(field)))
      } else {
        let literal = rest.prefix { $0 != "'" && !($0.isASCII && $0.isLetter) }
        rest = rest.dropFirst(literal.count)
        pieces.append(.literal(String(literal)))
      }
    }
    return pieces
  }

  /// Removes a quoted literal from the front of `rest`. A doubled quote means one quote, inside and
  /// outside of a literal.
  private static func quoted(_ rest: inout Substring) -> String {
    rest.removeFirst()
    if rest.first == "'" {
      rest.removeFirst()
      return "'"
    }
    var literal = ""
    while let character = rest.popFirst() {
      if character != "'" {
        literal.append(character)
      } else if rest.first == "'" {
        literal.append(rest.removeFirst())
      } else {
        break
      }
    }
    return literal
  }
}
