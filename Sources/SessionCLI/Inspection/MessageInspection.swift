import SessionCore

/// Takes a stored message apart, layer by layer, as far as the keys at hand open it.
struct MessageInspection {
  /// What may be there to open it with.
  enum Keys {
    case none
    case account(Account)
    case group(SessionID, keys: [SecretBytes], reader: Account?)
  }

  private let keys: Keys

  init(keys: Keys) {
    self.keys = keys
  }

  func inspect(_ bytes: [UInt8]) -> Inspection {
    if case .group(let group, let groupKeys, _) = keys { return groupMessage(bytes, group, groupKeys) }
    let form = Self.form(of: bytes)
    var whole = Inspection(form.name, at: bytes.indices)
    switch form {
    case .wrapped: whole.parts = wrapping(bytes)
    case .envelope: whole.parts = envelope(bytes) { padded($0) }
    case .padded: whole.parts = padded(bytes)
    }
    whole.parts.append(contentsOf: verdict(on: bytes, form))
    return whole
  }

  private enum Form {
    case wrapped, envelope, padded

    var name: String {
      switch self {
      case .wrapped: "message of an account's swarm"
      case .envelope: "envelope"
      case .padded: "message of a community"
      }
    }
  }

  /// A content begins with a field that an envelope has as a number, so one is never taken for the other.
  private static func form(of bytes: [UInt8]) -> Form {
    var reader = ProtobufReader(bytes, in: bytes.indices)
    var numbers: [UInt64: ProtobufReader.Value] = [:]
    while let record = try? reader.next() { numbers[record.number] = record.value }
    if case .varint? = numbers[1] {
      if case .varint? = numbers[5] { return .envelope }
      if case .body? = numbers[2] { return .wrapped }
    }
    return .padded
  }
}

extension MessageInspection {
  private func wrapping(_ bytes: [UInt8]) -> [Inspection] {
    ProtobufInspection.fields(of: bytes, .webSocketMessage) { field, bytes in
      field == "body" ? [layer("Envelope", bytes, envelope(bytes, content: sealed))] : nil
    }
  }

  private func envelope(_ bytes: [UInt8], content: @escaping ([UInt8]) -> [Inspection]) -> [Inspection] {
    ProtobufInspection.fields(of: bytes, .envelope) { field, bytes in
      field == "content" ? content(bytes) : nil
    }
  }

  /// What only its recipient opens: ephemeral key ‖ tag ‖ the rest.
  private func sealed(_ bytes: [UInt8]) -> [Inspection] {
    guard bytes.count >= 48 else {
      return [Inspection("sealed", at: bytes.indices, value: "too short to be a seal", verdict: .bad)]
    }
    let outside = [
      Inspection("ephemeral key", at: 0..<32, value: bytes[..<32].hex),
      Inspection("tag", at: 32..<48, value: bytes[32..<48].hex),
      Inspection("encrypted", at: 48..<bytes.count),
    ]
    return [layer("sealed", bytes, outside + opened(bytes))]
  }

  private func opened(_ bytes: [UInt8]) -> [Inspection] {
    guard case .account(let account) = keys else {
      return [Inspection("inside", value: "--key opens it")]
    }
    do {
      let opened = try account.open(bytes)
      let end = opened.content.count
      let inside =
        padded(opened.content) + [
          Inspection("sender's key", at: end..<end + 32, value: opened.senderEd25519PublicKey.hex),
          Inspection("signature", at: end + 32..<end + 96, verdict: .good),
          Inspection("sender", value: opened.sender.description),
        ]
      return [Inspection("opened", at: 0..<end + 96, parts: inside)]
    } catch {
      let what = SessionError.Code.signature ~= error ? "signature" : "opened"
      return [Inspection(what, value: error.message, verdict: .bad)]
    }
  }

  private func padded(_ bytes: [UInt8]) -> [Inspection] {
    let end = (bytes.lastIndex { $0 != 0 }).map { bytes[$0] == 0x80 ? $0 : $0 + 1 } ?? 0
    let content = content(Array(bytes[..<end]))
    guard end < bytes.count else { return content + [Inspection("padding", value: "none")] }
    return content + [Inspection("padding", at: end..<bytes.count)]
  }

  private func content(_ bytes: [UInt8]) -> [Inspection] {
    [layer("Content", bytes, ProtobufInspection.fields(of: bytes, .content) + rules(bytes))]
  }

  /// Whether the content keeps the rules of messages, and what it then is.
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

  private func groupMessage(_ bytes: [UInt8], _ group: SessionID, _ groupKeys: [SecretBytes]) -> Inspection {
    var whole = Inspection("message of a group's swarm", at: bytes.indices)
    guard bytes.count >= 40 else {
      whole.verdict = .bad
      whole.value = "too short to be one"
      return whole
    }
    whole.parts = [
      Inspection("nonce", at: 0..<24, value: bytes[..<24].hex),
      Inspection("encrypted", at: 24..<bytes.count - 16),
      Inspection("tag", at: bytes.count - 16..<bytes.count, value: bytes.suffix(16).hex),
    ]
    do {
      let opened = try Account.open(bytes, ofGroup: group, keys: groupKeys)
      let inside = envelope(opened.content) { content($0) }
      whole.parts += [
        Inspection("sender", value: opened.sender.description),
        Inspection("sender's key", value: opened.senderEd25519PublicKey.hex),
        Inspection("signature", verdict: .good), layer("Envelope", opened.content, inside),
      ]
    } catch {
      let what = SessionError.Code.signature ~= error ? "signature" : "opened"
      whole.parts.append(Inspection(what, value: error.message, verdict: .bad))
    }
    if case .group(_, _, let reader?) = keys {
      whole.parts += verdict(asReadBy: reader, bytes, .group(group, keys: groupKeys))
    }
    return whole
  }

  private func layer(_ name: String, _ bytes: [UInt8], _ parts: [Inspection]) -> Inspection {
    Inspection(name, at: bytes.indices, parts: parts)
  }
}

extension MessageInspection {
  /// What a client that receives it makes of it all.
  private func verdict(on bytes: [UInt8], _ form: Form) -> [Inspection] {
    guard case .account(let account) = keys, case .wrapped = form else { return [] }
    return verdict(asReadBy: account, bytes, .ownSwarm)
  }

  private func verdict(asReadBy account: Account, _ bytes: [UInt8], _ origin: MessageOrigin) -> [Inspection] {
    do {
      let received = try account.decode(bytes, from: origin)
      let update = try received.verifiedGroupUpdate(for: account.id)
      let admin = update.map { update in
        Inspection(
          "group update", value: update.authority == .admin ? "by an admin" : "by a member", verdict: .good)
      }
      let pro = Inspection("Pro", value: "\(received.proStatus), without a backend to ask")
      return [Inspection("received", verdict: .good, parts: [pro] + [admin].compactMap(\.self))]
    } catch {
      return [Inspection("received", value: "\(error)", verdict: .bad)]
    }
  }
}
