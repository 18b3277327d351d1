import SessionCore

extension Invocation {
  /// The id that an option gives, of one of the kinds; nil when it was not given.
  func id(_ option: String, _ kinds: SessionID.Kind...) throws(CommandFailure) -> SessionID? {
    try self[option].map { (text) throws(CommandFailure) in try Self.id(text, option, kinds) }
  }

  /// The same for an option that the parser requires.
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
