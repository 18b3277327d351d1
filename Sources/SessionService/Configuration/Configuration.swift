package import SessionBase
package import SessionCore

/// The settings of a file, each of a kind that its key allows.
package struct Configuration: Sendable {
  /// An error in a file, and what to do about it.
  package struct Mistake: Error, Hashable, Sendable {
    package let message: String
    package var advice: String?
  }

  package static let maxBytes = 64 * 1024

  package let path: String
  private let entries: [String: ConfigText.Entry]

  /// The settings in a text, which is in a file or about to be written to one.
  package init(_ path: String, text: String, keys: [ConfigKey], topic: String) throws(Mistake) {
    self.path = path
    do throws(ConfigText.Mistake) {
      let entries = try ConfigText(parsing: text).entries
      for entry in entries { try Self.check(entry, keys) }
      self.entries = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    } catch {
      throw Self.failure(error, in: path, topic: topic)
    }
    if let missing = keys.first(where: { $0.isRequired && entries[$0.name] == nil }) {
      throw Mistake(message: "\(path): \(missing.name) is missing", advice: "It is \(missing.summary).")
    }
  }

  package static func failure(_ mistake: ConfigText.Mistake, in path: String, topic: String) -> Mistake {
    Mistake(
      message: "\(path), line \(mistake.line): \(mistake.what)",
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

  package func text(_ name: String) -> String? {
    guard case .text(let text)? = entries[name]?.value else { return nil }
    return text
  }

  package func integer(_ name: String) -> Int? {
    guard case .integer(let number)? = entries[name]?.value else { return nil }
    return number
  }

  package func boolean(_ name: String) -> Bool? {
    guard case .boolean(let isTrue)? = entries[name]?.value else { return nil }
    return isTrue
  }

  package func texts(_ name: String) -> [String]? {
    guard case .texts(let texts)? = entries[name]?.value else { return nil }
    return texts
  }

  /// The failure of a setting whose value is none.
  package func mistake(_ name: String, _ what: String) -> Mistake {
    Mistake(message: "\(path), line \(entries[name]?.line ?? 0): \(name) is \(what)")
  }

  /// A file or folder; relative paths start at the folder of the configuration.
  package func file(_ name: String) -> String? {
    text(name).map { file in
      guard !file.hasPrefix("/"), let cut = path.lastIndex(of: "/") else { return file }
      return file == "." ? String(path[..<cut]) : String(path[...cut]) + file
    }
  }

  /// An address with a port.
  package func address(_ name: String) throws(Mistake) -> NetworkAddress? {
    guard let text = text(name) else { return nil }
    guard let address = try? NetworkAddress(parsing: text) else {
      throw mistake(name, "an address and a port, such as 192.0.2.1:22020")
    }
    return address
  }

  /// An Ed25519 key.
  package func key(_ name: String) throws(Mistake) -> [UInt8]? {
    guard let text = text(name) else { return nil }
    guard let key = try? [UInt8](hex: text.utf8), key.count == 32 else {
      throw mistake(name, "a key of 64 hexadecimal digits")
    }
    return key
  }
}
