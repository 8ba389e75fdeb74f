/// The tokens of a C file, without comments, literals and preprocessor directives.
struct CSource {
  let tokens: [Substring]

  init(_ text: String) {
    var tokens: [Substring] = []
    var rest = text[...]
    var isLineStart = true
    while let character = rest.first {
      if character.isNewline {
        isLineStart = true
        rest.removeFirst()
      } else if character.isWhitespace {
        rest.removeFirst()
      } else if isLineStart, character == "#" {
        Self.skipDirective(&rest)
      } else if rest.hasPrefix("//") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.hasPrefix("*/") { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else if character == "\"" || character == "'" {
        Self.skipLiteral(&rest)
      } else {
        isLineStart = false
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let token = word.isEmpty ? rest.prefix(1) : word
        tokens.append(token)
        rest = rest[token.endIndex...]
      }
    }
    self.tokens = tokens
  }

  private static func skipDirective(_ rest: inout Substring) {
    var isContinued = false
    while let character = rest.first, isContinued || !character.isNewline {
      isContinued = character == "\\"
      rest.removeFirst()
    }
  }

  private static func skipLiteral(_ rest: inout Substring) {
    let quote = rest.removeFirst()
    while let character = rest.popFirst(), character != quote {
      if character == "\\" { rest = rest.dropFirst() }
    }
  }

  /// The names of the functions that the file defines and other files can call.
  var externalFunctions: Set<Substring> {
    var names: Set<Substring> = []
    var depth = 0
    var statement: [Substring] = []
    for token in tokens {
      if depth == 0, token == "{", !statement.contains("static"), let name = Self.name(statement) {
        names.insert(name)
      }
      depth += token == "{" ? 1 : token == "}" ? -1 : 0
      if depth == 0, token == "}" || token == ";" {
        statement = []
      } else if depth == 0 {
        statement.append(token)
      }
    }
    return names
  }

  /// The name in front of the parameter list with which `declaration` ends; `nil` if it is not the
  /// declaration of a function.
  private static func name(_ declaration: [Substring]) -> Substring? {
    guard declaration.last == ")" else { return nil }
    var depth = 0
    for (index, token) in declaration.enumerated().reversed() {
      depth += token == ")" ? 1 : token == "(" ? -1 : 0
      if depth == 0 { return index > 0 ? declaration[index - 1] : nil }
    }
    return nil
  }
}
