/// Parses the texts of settings, and collects the problems of all of them.
struct SettingReader {
  private let texts: ConfigurationTexts
  private(set) var problems: [ConfigurationProblem] = []

  init(_ texts: ConfigurationTexts) { self.texts = texts }

  /// Reads a setting with one value; if several are given, the last applies.
  mutating func one<Value>(
    _ setting: Setting, _ value: inout Value,
    _ parse: (String) throws(ConfigurationProblem) -> Value
  ) {
    guard let text = texts[setting].last else { return }
    do throws(ConfigurationProblem) {
      value = try parse(text.text)
    } catch {
      problems.append(error.at(text.source))
    }
  }

  /// Reads a setting with several values.
  mutating func list<Value>(
    _ setting: Setting, _ values: inout [Value],
    _ parse: (String) throws(ConfigurationProblem) -> Value
  ) {
    for text in texts[setting] {
      do throws(ConfigurationProblem) {
        values.append(try parse(text.text))
      } catch {
        problems.append(error.at(text.source))
      }
    }
  }

  /// Notes that a setting contradicts another one.
  mutating func refuse(_ setting: Setting, _ sentence: String) {
    guard let text = texts[setting].last else { return }
    problems.append(ConfigurationProblem(sentence).at(text.source))
  }

  mutating func proxies(_ proxies: inout TrustedProxies) {
    let given = texts[.trustedProxy]
    guard !given.isEmpty else { return }
    var ranges: [AddressRange?] = []
    if given.map(\.text) != ["none"] {
      list(.trustedProxy, &ranges) { text throws(ConfigurationProblem) in
        if text == TrustedProxies.unixPeer { return nil }
        guard let range = AddressRange(text) else {
          throw ConfigurationProblem(
            "\(ConfigurationProblem.shown(text)) is not an address range. Use the proxy's "
              + "address, such as 10.0.0.7, a range, such as 10.0.0.0/8 or fd00::/8, unix, or "
              + "none.")
        }
        return range
      }
    }
    proxies = TrustedProxies(
      ranges.compactMap { $0 }, trustsUnixSockets: ranges.contains(nil))
  }

  /// Reads the addresses of listeners; `off` is none.
  mutating func listeners(_ setting: Setting, _ addresses: inout [ListenAddress]) {
    var given: [ListenAddress] = []
    let isOff = setting != .listen && texts[setting].map(\.text) == ["off"]
    if !isOff {
      list(setting, &given) { text throws(ConfigurationProblem) in
        try ListenAddress(text, of: setting)
      }
    }
    if !texts[setting].isEmpty { addresses = given }
    let needsCertificate =
      given.contains(where: \.hasTLS) || (setting == .redirectHttp && !given.isEmpty)
    guard needsCertificate, let last = texts[setting].last, texts[.tlsCertificate].isEmpty else {
      return
    }
    problems.append(ConfigurationProblem("There is no --tls-certificate.").at(last.source))
  }

  /// Reads the names of the certificate and its key, which need each other, and checks the files.
  mutating func tls(_ files: inout TLSFiles?) {
    let (certificate, key) = (texts[.tlsCertificate].last, texts[.tlsKey].last)
    guard let certificate, let key else {
      let problem = ConfigurationProblem("--tls-certificate and --tls-key need each other.")
      if let given = certificate ?? key { problems.append(problem.at(given.source)) }
      return
    }
    let given = TLSFiles(certificate: certificate.text, key: key.text)
    do throws(ConfigurationProblem) {
      _ = try given.load()
      files = given
    } catch {
      let isKey = error.detail.hasPrefix(given.key + " ")
      problems.append(error.at(isKey ? key.source : certificate.source))
    }
  }

  mutating func publicURL(_ url: inout PublicURL?, isRedirecting: Bool) {
    one(.publicUrl, &url) { text throws(ConfigurationProblem) in
      let url = try PublicURL(text)
      guard url.origin.scheme == "https" || !isRedirecting else {
        throw ConfigurationProblem(
          "\(ConfigurationProblem.shown(text)) must begin with https://, because --redirect-http "
            + "redirects to it.")
      }
      return url
    }
  }

  mutating func limits(_ limits: inout LimitSettings) {
    do throws(ConfigurationProblems) {
      limits = try LimitSettings(texts[.limit])
    } catch {
      problems += error.all
    }
  }
}
