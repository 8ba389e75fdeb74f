import ArgumentParser
import CMachine
import JSONText
import PickerServer

/// `pickerd token`: signs a member token, to try a server without a host.
struct Token: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Sign a member token, to try a server without a host's backend.",
    discussion: """
      A host's backend signs the tokens of its users itself, with a JWT library. This command \
      signs one with a key of the key file that has the scope tokens.

        pickerd token keys.yaml signing --session ID --role editor --sub 17 --name Ada

      EXIT STATUS: 0 success. 64 usage error. 65 the key file is invalid, or has no such key.
      """)

  @Argument(help: "The key file.")
  var file: String

  @Argument(help: "The id of the key that signs, which has the scope tokens.")
  var key: String

  @Option(help: ArgumentHelp("A session's id; can be repeated, up to 16.", valueName: "id"))
  var session: [String]

  @Option(help: ArgumentHelp("(default: editor)", valueName: "viewer|editor|owner"))
  var role = "editor"

  @Option(help: "The user's id at the host, at most 128 characters.")
  var sub: String?

  @Option(help: "The name that other members see.")
  var name: String?

  @Option(help: ArgumentHelp("The language, a BCP 47 tag.", valueName: "tag"))
  var locale: String?

  @Option(help: ArgumentHelp("JSON that other members see, at most 1 KiB.", valueName: "json"))
  var info: String?

  @Option(help: ArgumentHelp("JSON for the log, at most 4 KiB.", valueName: "json"))
  var meta: String?

  @Option(help: "Seconds until the token expires, at most 86400.")
  var seconds = 3600

  @Option(help: "The server's --audience.")
  var audience = ServerConfiguration.standardAudience

  @Option(help: "A PEM file with the private key, with ES256 and EdDSA.")
  var privateKey: String?

  func validate() throws {
    guard ["viewer", "editor", "owner"].contains(role) else {
      throw ValidationError("--role must be viewer, editor or owner")
    }
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds must be 1 to 86400")
    }
    guard (1...16).contains(session.count) else {
      throw ValidationError("--session must be given 1 to 16 times")
    }
  }

  func run() throws {
    let mint = TokenMint(keyID: key, signer: try signer())
    guard let token = mint.token(try claims()) else {
      throw complain("token", "the token cannot be signed")
    }
    print(token)
  }

  private func signer() throws -> TokenMint.Signer {
    let signing: TokenKey
    do {
      signing = try KeyFile(path: file).signingKey(key)
    } catch {
      throw complain("token", error.description)
    }
    switch signing {
    case .shared(let secret): return .shared(secret: secret)
    case .published(let key):
      guard let privateKey else {
        throw ValidationError("the key needs --private-key FILE, which the key file does not have")
      }
      let pem = try textFile(privateKey, "--private-key")
      guard let found = PrivateKey(pem: pem, key.algorithm) else {
        throw ValidationError("--private-key is not the PEM of a key for \(key.algorithm.rawValue)")
      }
      return .privateKey(found)
    }
  }

  private func claims() throws -> [JSONTree.Member] {
    let now = Int(machine_wall_ms() / 1000)
    var claims: [JSONTree.Member] = [
      .init("aud", .string(audience)),
      .init(
        "session",
        session.count == 1 ? .string(session[0]) : .array(session.map { .string($0) })),
      .init("role", .string(role)), .init("iat", .integer(now)),
      .init("exp", .integer(now + seconds)),
    ]
    for (claim, text) in [("sub", sub), ("name", name), ("locale", locale)] {
      if let text { claims.append(.init(claim, .string(text))) }
    }
    for (claim, text) in [("info", info), ("meta", meta)] {
      guard let text else { continue }
      guard let tree = try? JSONTree.parse(Array(text.utf8)) else {
        throw ValidationError("--\(claim) is not JSON")
      }
      guard !tree.exceedsRange else {
        throw ValidationError("--\(claim) has a number that is too large to be signed")
      }
      claims.append(.init(claim, tree))
    }
    return claims
  }
}

extension JSONTree {
  /// Whether a number is out of range, and would be signed with another value.
  fileprivate var exceedsRange: Bool {
    switch self {
    case .integer(let value): value == .min || value == .max
    case .number(let value): value.isInfinite
    case .array(let elements): elements.contains { $0.exceedsRange }
    case .object(let members): members.contains { $0.value.exceedsRange }
    case .null, .bool, .string: false
    }
  }
}
