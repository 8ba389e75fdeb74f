import CLibYAML

/// The events of a YAML text, parsed by libyaml.
///
/// libyaml limits the depth of flow collections to 1,000; the reader of the events limits depth and
/// number of nodes.
final class YAMLEvents {
  struct Event {
    enum Kind {
      case text(String, isPlain: Bool)
      case listStart, listEnd, mappingStart, mappingEnd
      case documentStart, documentEnd, streamStart, streamEnd
      case alias
    }

    let kind: Kind
    let start: TextPosition
    /// Whether it has a tag such as `!!int`.
    let hasTag: Bool
  }

  private let bytes: [UInt8]
  private let input: UnsafeMutableBufferPointer<UInt8>
  /// Never moved, because libyaml stores pointers to it.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    input = .allocate(capacity: bytes.count)
    _ = input.initialize(from: bytes)
    guard yaml_parser_initialize(parser) == 1 else { preconditionFailure("no memory for libyaml") }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// - Throws: ``KeyFileProblem`` if the text is not valid YAML.
  func next() throws(KeyFileProblem) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
    defer { yaml_event_delete(&event) }
    return Event(
      kind: YAMLEvents.kind(event), start: TextPosition(event.start_mark),
      hasTag: YAMLEvents.hasTag(event))
  }

  private static func kind(_ event: yaml_event_t) -> Event.Kind {
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = String(
        decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return .text(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
    case YAML_SEQUENCE_START_EVENT: return .listStart
    case YAML_SEQUENCE_END_EVENT: return .listEnd
    case YAML_MAPPING_START_EVENT: return .mappingStart
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_ALIAS_EVENT: return .alias
    default: return .streamEnd
    }
  }

  private static func hasTag(_ event: yaml_event_t) -> Bool {
    switch event.type {
    case YAML_SCALAR_EVENT: event.data.scalar.tag != nil
    case YAML_SEQUENCE_START_EVENT: event.data.sequence_start.tag != nil
    case YAML_MAPPING_START_EVENT: event.data.mapping_start.tag != nil
    default: false
    }
  }

  private var problem: KeyFileProblem {
    let failed = parser.pointee
    let reason = failed.problem.map { String(cString: $0) } ?? "no memory"
    if failed.error == YAML_READER_ERROR {
      return KeyFileProblem(
        "\(reason); the file must be UTF-8 text",
        at: TextPosition(offset: failed.problem_offset, in: bytes))
    }
    let context = failed.context.map { String(cString: $0) + ": " } ?? ""
    return KeyFileProblem(
      context + reason + YAMLEvents.advice(reason), at: TextPosition(failed.problem_mark))
  }

  /// What would be right.
  private static func advice(_ reason: String) -> String {
    let advice: [(part: String, sentence: String)] = [
      ("cannot start any token", "indent with spaces, and quote texts that begin with @, ` or %"),
      ("mapping values are not allowed", "quote a text that has a colon"),
      ("expected ':'", "write name: value, with a blank after the colon"),
      ("expected key", "all fields of an entry begin in the same column"),
      ("'-' indicator", "all entries of a list begin in the same column"),
      ("',' or", "separate entries with commas, and close each bracket"),
    ]
    return advice.first { reason.contains($0.part) }.map { "; \($0.sentence)" } ?? ""
  }
}

extension TextPosition {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}
