import SessionCore

/// Takes a stored or posted message apart, layer by layer, as far as the keys at hand open it.
struct MessageInspection {
  /// The available keys, for decrypting and checking.
  struct Keys {
    /// The reader.
    var reader: Account?
    /// The group of the message, and the keys to try.
    var group: SessionID?
    var groupKeys: [SecretBytes] = []
    /// In a community: the server's key, who posted it, for whom, and when.
    var server: [UInt8]?
    var sender: SessionID?
    var recipient: SessionID?
    var postedAt: MessageTime?
    /// The key of the backend that issues Pro proofs.
    var proBackend: [UInt8]?
  }

  /// The place of messages in that form.
  enum Form: String {
    case swarm = "message of an account's swarm"
    case group = "message of a group's swarm"
    case removal = "notice to removed members"
    case room = "message of a community's room"
    case envelope = "message of a community's room, in an envelope"
    case inbox = "message of a community's inbox"
    case sealed = "sealed bytes"
    case unknown = "bytes of no form that shows"
  }

  let keys: Keys

  func inspect(_ bytes: [UInt8]) -> Inspection {
    let form = form(of: bytes)
    var whole = Inspection(form.rawValue, at: bytes.indices)
    whole.parts =
      switch form {
      case .swarm: wrapping(bytes)
      case .group: group(bytes)
      case .removal: removal(bytes)
      case .room, .envelope: posted(bytes)
      case .inbox: inbox(bytes)
      case .sealed: sealed(bytes)
      case .unknown: unknown(bytes)
      }
    whole.parts += verdict(on: bytes, form)
    return whole
  }

  /// Contents begin with a message, envelopes and wrappings with a number: none is taken for another.
  private func form(of bytes: [UInt8]) -> Form {
    if bytes.starts(with: Array("d1:#24:".utf8)) { return .removal }
    if keys.group != nil { return .group }
    // Opening the seal proves the form. Random bytes may look like another form by chance.
    if (try? keys.reader?.open(bytes)) != nil { return .sealed }
    let end = contentCount(of: bytes)
    let (fields, isWhole) = ProtobufReader.fields(of: bytes[..<end])
    let begins: Form? = if case .varint? = fields[1] { fields[5] == nil ? .swarm : .envelope } else { nil }
    if isWhole { return begins ?? .room }
    // Random bytes may begin as anything, but groups alone pad what they encrypt.
    if bytes.count.isMultiple(of: 256) { return .group }
    if let begins { return begins }
    if bytes.first == 0, bytes.count > Self.inboxOverhead { return .inbox }
    return fields.isEmpty || end == bytes.count ? .unknown : .room
  }

  private func unknown(_ bytes: [UInt8]) -> [Inspection] {
    let advice = "what is encrypted shows its form with its keys alone: --key, or --group-id and --group-key"
    return [
      Inspection("beginning", at: bytes.indices, value: ShownBytes.hex(bytes), verdict: .bad),
      Inspection(advice),
    ]
  }
}

extension MessageInspection {
  func layer(_ name: String, _ bytes: [UInt8], _ parts: [Inspection]) -> Inspection {
    Inspection(name, at: bytes.indices, parts: parts)
  }

  /// The reason why a layer was not decrypted: its signature, or anything else.
  func failure(_ error: any Error) -> Inspection {
    let isSignature = SessionError.Code.signature ~= error
    return Inspection(isSignature ? "signature" : "opened", value: "\(error)", verdict: .bad)
  }

  func envelope(_ bytes: [UInt8], content: @escaping ([UInt8]) -> [Inspection]) -> [Inspection] {
    ProtobufInspection.fields(of: bytes, .envelope) { field, bytes in
      field == "content" ? content(bytes) : nil
    }
  }

  /// A content with its padding.
  func padded(_ bytes: [UInt8]) -> [Inspection] {
    let end = contentCount(of: bytes)
    let content = content(Array(bytes[..<end]))
    guard end < bytes.count else { return content + [Inspection("padding", value: "none")] }
    return content + [Inspection("padding", at: end..<bytes.count)]
  }

  func content(_ bytes: [UInt8]) -> [Inspection] {
    [layer("Content", bytes, ProtobufInspection.fields(of: bytes, .content) + rules(bytes))]
  }

  func contentCount(of padded: [UInt8]) -> Int {
    (try? MessagePadding.contentCount(of: padded)) ?? padded.count
  }

  /// The result of checking the rules of messages.
  private func rules(_ bytes: [UInt8]) -> [Inspection] {
    do {
      let message = try Message(parsing: bytes)
      return [
        Inspection("kind", value: message.content.kind.rawValue), Inspection("rules", verdict: .good),
      ]
    } catch {
      return [Inspection("rules", value: error.message, verdict: .bad)]
    }
  }
}
