/// The configuration file: a YAML or JSON mapping of settings to values.
///
///     listen: 0.0.0.0:7681
///     host: [pick.example.org, pick.example.com]
///     limit:
///       connections: 50000
struct ConfigurationFile {
  private(set) var texts: [Setting: [SettingText]] = [:]
  private(set) var problems: [ConfigurationProblem] = []
  private let path: String

  static let byteCountMax = 1_048_576

  /// Reads a file. Values are not validated.
  init(path: String) {
    self.path = path
    guard let content = RegularFile.read(path, byteCountMax: ConfigurationFile.byteCountMax) else {
      let reason =
        RegularFile.readingProblem(path).map { "it cannot be read: \($0)." }
        ?? "it is not a regular file of at most \(ConfigurationFile.byteCountMax) bytes."
      problems = [ConfigurationProblem(reason, at: path)]
      return
    }
    read(content.bytes)
  }

  init(path: String, content: [UInt8]) {
    self.path = path
    read(content)
  }

  private mutating func read(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    let isEmpty = lines.allSatisfy { line in
      line.first { $0 != UInt8(ascii: " ") }.map { $0 == UInt8(ascii: "#") } ?? true
    }
    if isEmpty { return }
    let document: YAMLNode
    var repeated: [KeyFileProblem] = []
    do throws(KeyFileProblem) {
      document = try YAMLNode(bytes, repeated: &repeated)
    } catch {
      return add(error)
    }
    for problem in repeated { add(problem) }
    if case .none = document.value { return }
    guard let fields = document.fields else {
      return add("the file must be a mapping of settings to values", at: document.position)
    }
    for field in fields { read(field) }
  }

  private mutating func read(_ field: YAMLNode.Field) {
    guard let setting = Setting(rawValue: field.key), setting.isInFile else {
      let names = Setting.allCases.filter(\.isInFile).map(\.rawValue).joined(separator: ", ")
      return add(
        "\(ConfigurationProblem.shown(field.key)) is not a setting. The settings are \(names).",
        at: field.position)
    }
    switch field.value.value {
    case .none: return
    case .text(let text): texts[setting] = [SettingText(text, from: source(setting, field.value))]
    case .list(let list) where setting.row.isList && setting != .limit:
      for entry in list {
        guard let text = entry.text else {
          add("\(setting.rawValue) must be a list of texts", at: entry.position)
          continue
        }
        texts[setting, default: []].append(SettingText(text, from: source(setting, entry)))
      }
    case .mapping(let limits) where setting == .limit:
      for limit in limits { read(limit: limit) }
    case .list, .mapping:
      let form = setting.row.isList ? "a value or a list of values" : "one value"
      add(
        "\(setting.rawValue) must be "
          + (setting == .limit ? "a mapping of names to numbers" : form),
        at: field.value.position)
    }
  }

  private mutating func read(limit: YAMLNode.Field) {
    guard let text = limit.value.text else {
      return add("limit \(limit.key) must be a number", at: limit.value.position)
    }
    texts[.limit, default: []].append(
      SettingText("\(limit.key)=\(text)", from: source(.limit, limit.value)))
  }

  private func source(_ setting: Setting, _ node: YAMLNode) -> SettingSource {
    .file(place: "\(path):\(node.position)", field: setting.rawValue)
  }

  /// Adds a problem whose description has the path, line and column.
  private mutating func add(_ problem: KeyFileProblem) {
    problems.append(ConfigurationProblem(problem.of(path).description))
  }

  private mutating func add(_ detail: String, at position: TextPosition) {
    problems.append(ConfigurationProblem(detail, at: "\(path):\(position)"))
  }
}
