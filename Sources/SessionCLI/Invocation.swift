import SessionBase
import SessionCore

/// A command line that was understood.
struct Invocation: Sendable {
  let command: Command
  fileprivate(set) var arguments: [String] = []
  fileprivate var values: [String: [String]] = [:]
  fileprivate var flags: Set<String> = []

  /// The value of an option, nil when it was not given.
  subscript(option: String) -> String? { values[option]?.first }

  /// All values of an option that may be repeated, in their order.
  func all(_ option: String) -> [String] { values[option] ?? [] }

  /// True if a flag was given.
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The value of an option that the parser requires.
  func required(_ option: String) -> String {
    guard let value = self[option] else { preconditionFailure("--\(option) is not marked as required") }
    return value
  }
}

extension Invocation {
  /// Reads what follows the words of the command.
  init(of command: Command, from words: [String]) throws(CommandFailure) {
    self.command = command
    var rest = words[...]
    var areOptionsOver = false
    while let word = rest.popFirst() {
      if areOptionsOver || word == "-" || !word.hasPrefix("-") {
        arguments.append(word)
      } else if word == "--" {
        areOptionsOver = true
      } else {
        try takeOption(word, from: &rest)
      }
    }
    try checkCompleteness()
  }

  private mutating func takeOption(_ word: String, from rest: inout ArraySlice<String>) throws(CommandFailure)
  {
    // By scalars: a mark that is drawn over the = does not hide it.
    let parts = word.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard let option = command.options.first(where: { "--" + $0.name == parts[0] }) else {
      throw unknownOption(parts[0])
    }
    guard option.isRepeated || values[option.name] == nil, !flags.contains(option.name) else {
      throw misuse("--\(option.name) is given twice")
    }
    guard let value = option.value else {
      guard parts.count == 1 else { throw misuse("--\(option.name) takes no value") }
      flags.insert(option.name)
      return
    }
    var given = parts.dropFirst().first
    if given == nil, let next = rest.first, next == "-" || !next.hasPrefix("-") { given = rest.removeFirst() }
    guard let given, !given.isEmpty else {
      throw misuse("--\(option.name) needs a value: --\(option.name) \(value)")
    }
    guard given != "-" || value.hasSuffix("|-") else {
      throw misuse("--\(option.name) cannot be -: --\(option.name) \(value)")
    }
    values[option.name, default: []].append(given)
  }

  private func checkCompleteness() throws(CommandFailure) {
    if let missing = command.options.first(where: { $0.isRequired && values[$0.name] == nil }) {
      throw misuse("\(missing.synopsis) is missing")
    }
    if let missing = command.arguments.dropFirst(arguments.count).first(where: { !$0.isOptional }) {
      throw misuse("\(missing.name) is missing")
    }
    if let stream = zip(arguments, command.arguments).first(where: { $0 == "-" && !$1.name.hasSuffix("|-") })
    {
      throw misuse("\(stream.1.name) cannot be -")
    }
    let takesMore = command.arguments.last?.isRepeated ?? false
    guard takesMore || arguments.count <= command.arguments.count else {
      throw misuse("unexpected argument \(arguments[command.arguments.count])")
    }
  }

  private func unknownOption(_ name: String) -> CommandFailure {
    let known = command.options.map { "--" + $0.name }
    let hint = nearestName(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
    return misuse("unknown option \(name)\(hint)")
  }

  /// The failure of a command that was called wrongly.
  func misuse(_ what: String) -> CommandFailure {
    .usage("\(command.name): \(what)", advice: "Usage: \(command.usage)")
  }
}

extension Invocation {
  /// The id that an option gives, of one of the kinds; nil when it was not given.
  func id(_ option: String, _ kinds: SessionID.Kind...) throws(CommandFailure) -> SessionID? {
    try self[option].map { (text) throws(CommandFailure) in try Self.id(text, option, kinds) }
  }

  /// The id of an option that the parser requires.
  func requiredID(_ option: String, _ kinds: SessionID.Kind...) throws(CommandFailure) -> SessionID {
    try Self.id(required(option), option, kinds)
  }

  /// The key of 32 bytes that an option gives; nil when it was not given.
  func key(_ option: String) throws(CommandFailure) -> [UInt8]? {
    guard let text = self[option] else { return nil }
    guard let key = try? [UInt8](hex: text.utf8), key.count == 32 else {
      throw .usage("--\(option): this is no key", advice: "A key is 64 hexadecimal digits.")
    }
    return key
  }

  private static func id(
    _ text: String, _ option: String, _ kinds: [SessionID.Kind]
  ) throws(CommandFailure) -> SessionID {
    let id: SessionID
    do {
      id = try SessionID(parsing: text)
    } catch {
      throw .usage("--\(option): \(error.message)", advice: "'session id ID' examines an id.")
    }
    guard kinds.contains(id.kind) else {
      let prefixes = kinds.map(\.prefix).joined(separator: " or ")
      throw .usage("--\(option): this is a \(id.kind)", advice: "Give an id that begins with \(prefixes).")
    }
    return id
  }
}
