import SessionCore

// The verdict of a client that receives the message.

extension MessageInspection {
  func verdict(on bytes: [UInt8], _ form: Form) -> [Inspection] {
    guard let reader = keys.reader, let origin = origin(of: bytes, form) else { return [] }
    do {
      let received = try reader.decode(bytes, from: origin, proBackend: keys.proBackend)
      let update = try received.verifiedGroupUpdate(for: reader).map { update in
        Inspection(
          "group update", value: update.authority == .admin ? "by an admin" : "by a member", verdict: .good)
      }
      let parts = [pro(of: received, in: bytes, form), update].compactMap(\.self)
      return [Inspection("received", verdict: .good, parts: parts)]
    } catch {
      return [Inspection("received", value: "\(error)", verdict: .bad)]
    }
  }

  /// The place where it was found, if known.
  private func origin(of bytes: [UInt8], _ form: Form) -> MessageOrigin? {
    switch form {
    case .swarm: return .ownSwarm
    case .group:
      guard let group = keys.group, !keys.groupKeys.isEmpty else { return nil }
      return .group(group, keys: keys.groupKeys)
    case .room, .envelope:
      guard let sender = keys.sender, let postedAt = keys.postedAt ?? timeInside(bytes) else { return nil }
      return .community(sender: sender, postedAt: postedAt)
    case .inbox:
      guard let server = keys.server, let sender = keys.sender, let recipient = keys.recipient,
        let postedAt = keys.postedAt ?? (try? openInbox(bytes)).flatMap({ timeInside($0.content) })
      else { return nil }
      return .inbox(server: server, sender: sender, recipient: recipient, postedAt: postedAt)
    case .removal, .sealed, .unknown: return nil
    }
  }

  /// When a posted message says that it was sent.
  private func timeInside(_ posted: [UInt8]) -> MessageTime? {
    let content = ProtobufReader.body(8, of: posted) ?? posted
    return (try? Message(parsing: content[..<contentCount(of: content)]))?.sentAt
  }
}

extension MessageInspection {
  private func pro(of received: ReceivedMessage, in bytes: [UInt8], _ form: Form) -> Inspection {
    guard let proof = received.message.pro?.proof else {
      return Inspection("Pro", value: "\(received.proStatus)")
    }
    guard keys.proBackend == nil else {
      let isGood = received.proStatus == .valid
      return Inspection("Pro", value: "\(received.proStatus)", verdict: isGood ? .good : .bad)
    }
    var shown = Inspection("Pro", value: "--pro-backend judges the proof")
    if let (signed, signature) = proSignature(in: bytes, form) {
      let isGood = (try? Signature.verify(signature, of: signed, by: proof.rotatingKey)) != nil
      shown.parts = [Inspection("signature", verdict: isGood ? .good : .bad)]
    }
    return shown
  }

  /// The signature with the proof's key, and what it covers.
  private func proSignature(in bytes: [UInt8], _ form: Form) -> (signed: [UInt8], signature: [UInt8])? {
    switch form {
    case .swarm:
      let request = ProtobufReader.body(2, of: bytes)
      return request.flatMap { ProtobufReader.body(3, of: $0) }.flatMap(onEnvelope)
    case .group:
      guard let group = keys.group else { return nil }
      return (try? Account.open(bytes, ofGroup: group, keys: keys.groupKeys)).flatMap {
        onEnvelope($0.content)
      }
    case .room, .envelope: return onPosted(bytes)
    case .inbox: return (try? openInbox(bytes)).flatMap { onPosted($0.content) }
    case .removal, .sealed, .unknown: return nil
    }
  }

  private func onEnvelope(_ envelope: [UInt8]) -> (signed: [UInt8], signature: [UInt8])? {
    guard let signature = ProtobufReader.body(11, of: envelope),
      let content = ProtobufReader.body(8, of: envelope)
    else { return nil }
    return (content, signature)
  }

  /// Without an envelope the content has the signature, which covers the rest of it, padded.
  private func onPosted(_ bytes: [UInt8]) -> (signed: [UInt8], signature: [UInt8])? {
    if let onEnvelope = onEnvelope(bytes) { return onEnvelope }
    let content = Array(bytes[..<contentCount(of: bytes)])
    guard let signature = ProtobufReader.body(17, of: content),
      let signed = try? MessagePadding.padded(ProtobufReader.without(17, content))
    else { return nil }
    return (signed, signature)
  }
}
