import SessionCore

// Messages of a group's swarm: a nonce and an encrypted bt dict, filled up with zeros, that holds an Envelope; and
// the notices to members who were removed.

extension MessageInspection {
  private static let fieldNames = [
    "\"\"": "version", "\"a\"": "sender's key", "\"d\"": "message", "\"s\"": "signature",
    "\"z\"": "compressed message",
  ]

  func group(_ bytes: [UInt8]) -> [Inspection] {
    let start = SealedBox.nonceBytes
    let end = bytes.count - SealedBox.tagBytes
    guard start <= end else {
      return [Inspection("no message", at: bytes.indices, value: "too short to be one", verdict: .bad)]
    }
    return [
      Inspection("nonce", at: 0..<start, value: bytes[..<start].hex),
      Inspection("encrypted", at: start..<end),
      Inspection("tag", at: end..<bytes.count, value: bytes[end...].hex),
    ] + openedGroupMessage(bytes)
  }

  private func openedGroupMessage(_ bytes: [UInt8]) -> [Inspection] {
    guard let group = keys.group, !keys.groupKeys.isEmpty else {
      return [Inspection("inside", value: "--group-id and --group-key open it")]
    }
    var inside: [Inspection] = []
    let opened = Result { () throws(SessionError) in
      try Account.open(bytes, ofGroup: group, keys: keys.groupKeys)
    }
    let decrypted = keys.groupKeys.lazy.compactMap { try? SealedBox.open(bytes, key: $0) }.first
    if let decrypted { inside.append(dict(decrypted, opened)) }
    switch opened {
    case .success(let opened): inside.append(Inspection("sender", value: opened.sender.description))
    case .failure(let error): inside.append(failure(error))
    }
    return inside
  }

  /// The decrypted dict with named fields, the message, and the padding.
  private func dict(_ decrypted: [UInt8], _ opened: Result<OpenedMessage, SessionError>) -> Inspection {
    let end = decrypted.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    var dict = BtInspection.inspect(Array(decrypted[..<end]))
    for container in dict.parts.indices {
      for field in dict.parts[container].parts.indices {
        explain(&dict.parts[container].parts[field], opened)
      }
    }
    let padding = end..<decrypted.count
    let rest = padding.isEmpty ? [Inspection("padding", value: "none")] : [Inspection("padding", at: padding)]
    return Inspection("opened", at: decrypted.indices, parts: dict.parts + rest)
  }

  private func explain(_ field: inout Inspection, _ opened: Result<OpenedMessage, SessionError>) {
    let key = field.name
    if let name = Self.fieldNames[key] { field.name += " \(name)" }
    guard case .success(let opened) = opened else {
      if key == "\"s\"", case .failure(let error) = opened, .signature ~= error { field.verdict = .bad }
      return
    }
    switch key {
    case "\"s\"": field.verdict = .good
    case "\"d\"", "\"z\"":
      field.value = key == "\"z\"" ? "zstd of \(opened.content.count) bytes" : nil
      field.parts = [layer("Envelope", opened.content, envelope(opened.content) { content($0) })]
    default: break
    }
  }

  /// A bt dict with an entry for each member who was removed.
  func removal(_ bytes: [UInt8]) -> [Inspection] {
    let dict = BtInspection.inspect(bytes).parts
    guard let reader = keys.reader, let group = keys.group else {
      return dict + [Inspection("inside", value: "--key and --group-id open it")]
    }
    do {
      let notice = try reader.open(kickNotice: bytes, ofGroup: group)
      let inside = [
        Inspection("member", value: reader.id.description),
        Inspection("generation of keys that ended", value: "\(notice.generation)"),
      ]
      return dict + [Inspection("opened", parts: inside), Inspection("sender", value: "\(group)")]
    } catch {
      return dict + [failure(error)]
    }
  }
}
