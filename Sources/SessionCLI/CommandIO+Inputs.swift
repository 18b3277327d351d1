import SessionCore

extension CommandIO {
  /// A path as commands take it: `-` and nothing mean standard input.
  private func read(_ path: String?, limit: Int) throws(CommandFailure) -> [UInt8] {
    do {
      return try read(path == "-" ? nil : path, limit)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// A byte order mark, which some editors write before UTF-8 text.
  private static let byteOrderMark = Array("\u{FEFF}".utf8)

  /// A text, without the mark before it.
  private static func content(of text: [UInt8]) -> ArraySlice<UInt8> {
    text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
  }

  /// Reads the file with an account's recovery phrase.
  func account(from path: String) throws(CommandFailure) -> Account {
    var text = try readSecret(path, upTo: InputLimits.phrase)
    defer { text.wipe() }
    do {
      return try Account(RecoveryPhrase(parsing: Self.content(of: text)))
    } catch {
      throw CommandFailure(error, subject: path == "-" ? "standard input" : path)
    }
  }

  /// Reads a message that is to be sealed.
  func message(from path: String?) throws(CommandFailure) -> [UInt8] {
    try read(path, limit: InputLimits.message)
  }

  /// Reads a picture.
  func picture(from path: String) throws(CommandFailure) -> [UInt8] {
    try read(path, limit: InputLimits.picture)
  }

  /// Reads a text, without the end of its last line.
  func text(from path: String?) throws(CommandFailure) -> String {
    let input = try message(from: path)
    guard let text = String(validating: Self.content(of: input), as: UTF8.self) else {
      throw .data("the text is not UTF-8")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// Reads a sealed message: base64 text with line breaks anywhere, or its bytes.
  func sealedMessage(from path: String?, isRaw: Bool) throws(CommandFailure) -> [UInt8] {
    let input = try read(path, limit: InputLimits.sealed)
    guard !isRaw else { return input }
    do {
      return try [UInt8](base64: Self.content(of: input).filter { !Self.whiteSpace.contains($0) })
    } catch {
      throw .data(
        "the sealed message is not base64 text", advice: "Give the complete text; --raw reads bytes.")
    }
  }

  /// Reads the pointer of a sealed file.
  func attachmentPointer(from path: String) throws(CommandFailure) -> AttachmentPointer {
    var json = try read(path, limit: InputLimits.attachmentPointer)
    defer { json.wipe() }
    return try AttachmentPointer(json: json)
  }

  /// Reads bytes, or the base64 text of some, whichever it looks like; what begins with one of `rawBeginnings` is
  /// no such text.
  func bytesOrBase64(
    from path: String?, rawBeginnings: String = "", limit: Int = InputLimits.sealed
  ) throws(CommandFailure) -> [UInt8] {
    let input = try read(path, limit: limit)
    guard let first = input.first, !rawBeginnings.utf8.contains(first) else { return input }
    let text = Self.content(of: input).filter { !Self.whiteSpace.contains($0) }
    return (try? [UInt8](base64: text)) ?? input
  }

  /// Reads the keys of a group, each on a line.
  func groupKeys(from path: String) throws(CommandFailure) -> [SecretBytes] {
    var text = try read(path, limit: InputLimits.groupKeys)
    defer { text.wipe() }
    do {
      var keys: [SecretBytes] = []
      for line in Self.content(of: text).split(whereSeparator: { Self.whiteSpace.contains($0) }) {
        var key = try [UInt8](hex: line)
        defer { key.wipe() }
        keys.append(try SecretBytes(copying: key))
      }
      return keys
    } catch {
      throw CommandFailure(error, subject: path == "-" ? "standard input" : path)
    }
  }

  private static let whiteSpace = Set(" \t\r\n".utf8)
}

extension Invocation {
  /// Throws when two inputs would both be read from standard input.
  func requireOneStandardInput(_ inputs: String?...) throws(CommandFailure) {
    try requireOneStandardInput(among: inputs)
  }

  func requireOneStandardInput(among inputs: [String?]) throws(CommandFailure) {
    guard inputs.count(where: { $0 == nil || $0 == "-" }) > 1 else { return }
    throw .usage(
      "\(command.name): both inputs are standard input",
      advice: "Give a file for one of them. Usage: \(command.usage)")
  }
}
