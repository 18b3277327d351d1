import SessionCore

/// The settings of a file, each of a kind that its key allows.
struct Configuration: Sendable {
  static let maxBytes = 64 * 1024

  let path: String
  private let entries: [String: ConfigText.Entry]

  /// Reads a file that has these keys, and no others.
  init(_ path: String, keys: [ConfigKey], topic: String, io: CommandIO) throws(CommandFailure) {
    try self.init(path, text: try Self.text(of: path, io), keys: keys, topic: topic)
  }

  /// What a file says, whatever that means.
  static func text(of path: String, _ io: CommandIO) throws(CommandFailure) -> String {
    let bytes: [UInt8]
    do throws(SessionError) {
      bytes = try io.read(path, maxBytes)
    } catch {
      throw CommandFailure(error, subject: path)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .data("\(path): not UTF-8") }
    return text
  }

  /// The settings that a text makes, which is in a file or about to be.
  init(_ path: String, text: String, keys: [ConfigKey], topic: String) throws(CommandFailure) {
    self.path = path
    do throws(ConfigText.Mistake) {
      let entries = try ConfigText(parsing: text).entries
      for entry in entries { try Self.check(entry, keys) }
      self.entries = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    } catch {
      throw Self.failure(error, in: path, topic: topic)
    }
    if let missing = keys.first(where: { $0.isRequired && entries[$0.name] == nil }) {
      throw .data("\(path): \(missing.name) is missing", advice: "It is \(missing.summary).")
    }
  }

  static func failure(_ mistake: ConfigText.Mistake, in path: String, topic: String) -> CommandFailure {
    .data(
      "\(path), line \(mistake.line): \(mistake.what)",
      advice: "'session help \(topic)' explains the settings.")
  }

  private static func check(_ entry: ConfigText.Entry, _ keys: [ConfigKey]) throws(ConfigText.Mistake) {
    guard let key = keys.first(where: { $0.name == entry.name }) else {
      let hint = nearestName(to: entry.name, among: keys.map(\.name)).map { "; did you mean \($0)?" } ?? ""
      throw ConfigText.Mistake(line: entry.line, what: "there is no setting \(entry.name)\(hint)")
    }
    guard key.kind.allows(entry.value) else {
      throw ConfigText.Mistake(line: entry.line, what: "\(key.name) is \(key.kind.words)")
    }
  }

  func text(_ name: String) -> String? {
    guard case .text(let text)? = entries[name]?.value else { return nil }
    return text
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let number)? = entries[name]?.value else { return nil }
    return number
  }

  func boolean(_ name: String) -> Bool? {
    guard case .boolean(let isTrue)? = entries[name]?.value else { return nil }
    return isTrue
  }

  func texts(_ name: String) -> [String]? {
    guard case .texts(let texts)? = entries[name]?.value else { return nil }
    return texts
  }

  /// The failure of a setting whose value is none.
  func mistake(_ name: String, _ what: String) -> CommandFailure {
    .data("\(path), line \(entries[name]?.line ?? 0): \(name) is \(what)")
  }

  /// A file or folder; names that are not absolute begin at the folder of the configuration.
  func file(_ name: String) -> String? {
    text(name).map { file in
      guard !file.hasPrefix("/"), let cut = path.lastIndex(of: "/") else { return file }
      return file == "." ? String(path[..<cut]) : String(path[...cut]) + file
    }
  }

  /// An address with a port.
  func address(_ name: String) throws(CommandFailure) -> NetworkAddress? {
    guard let text = text(name) else { return nil }
    guard let address = try? NetworkAddress(parsing: text) else {
      throw mistake(name, "an address and a port, such as 192.0.2.1:22020")
    }
    return address
  }

  /// An Ed25519 key.
  func key(_ name: String) throws(CommandFailure) -> [UInt8]? {
    guard let text = text(name) else { return nil }
    guard let key = try? [UInt8](hex: text.utf8), key.count == 32 else {
      throw mistake(name, "a key of 64 hexadecimal digits")
    }
    return key
  }
}
