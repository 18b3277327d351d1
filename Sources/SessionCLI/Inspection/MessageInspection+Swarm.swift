import SessionCore

// Messages of an account's swarm: WebSocketMessage, Envelope, seal, padding, content.

extension MessageInspection {
  private static let keyBytes = 32
  private static let signatureBytes = 64

  func wrapping(_ bytes: [UInt8]) -> [Inspection] {
    ProtobufInspection.fields(of: bytes, .webSocketMessage) { field, bytes in
      field == "body" ? [layer("Envelope", bytes, envelope(bytes, content: enveloped))] : nil
    }
  }

  private func enveloped(_ bytes: [UInt8]) -> [Inspection] { [layer("sealed", bytes, sealed(bytes))] }

  /// A part that only its recipient decrypts: ephemeral key ‖ tag ‖ the rest.
  func sealed(_ bytes: [UInt8]) -> [Inspection] {
    let start = Self.keyBytes + SealedBox.tagBytes
    guard bytes.count >= start else {
      return [Inspection("sealed", at: bytes.indices, value: "too short to be a seal", verdict: .bad)]
    }
    return [
      Inspection("ephemeral key", at: 0..<Self.keyBytes, value: bytes[..<Self.keyBytes].hex),
      Inspection("tag", at: Self.keyBytes..<start, value: bytes[Self.keyBytes..<start].hex),
      Inspection("encrypted", at: start..<bytes.count),
    ] + opened(bytes)
  }

  private func opened(_ bytes: [UInt8]) -> [Inspection] {
    guard let reader = keys.reader else { return [Inspection("inside", value: "--key opens it")] }
    do {
      let opened = try reader.open(bytes)
      let key = opened.content.count
      let signature = key + Self.keyBytes
      let inside =
        inside(opened.content) + [
          Inspection(
            "sender's key", at: key..<signature, value: opened.senderEd25519PublicKey.hex),
          Inspection("signature", at: signature..<signature + Self.signatureBytes, verdict: .good),
          Inspection("sender", value: opened.sender.description),
        ]
      return [Inspection("opened", at: 0..<signature + Self.signatureBytes, parts: inside)]
    } catch {
      return [failure(error)]
    }
  }

  /// A content, or any other decrypted data.
  private func inside(_ bytes: [UInt8]) -> [Inspection] {
    let end = contentCount(of: bytes)
    let isContent = end < bytes.count || (try? Message(parsing: bytes)) != nil
    return isContent
      ? padded(bytes) : [Inspection("text or bytes", at: bytes.indices, value: ShownBytes.text(bytes))]
  }
}
