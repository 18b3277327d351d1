import SessionCore

extension Inspection {
  /// What an id is made of.
  init(of id: SessionID) {
    self.init(
      "id", at: id.bytes.indices, value: id.description,
      parts: [
        Inspection("kind", at: 0..<1, value: "\(id.kind.prefix) \(id.kind)"),
        Inspection(id.kind.curve, at: id.bytes.indices.dropFirst(), value: id.key.hex),
      ])
  }
}

extension SessionID.Kind {
  /// What its key is.
  fileprivate var curve: String {
    switch self {
    case .standard: "X25519 key"
    case .unblinded, .group, .version: "Ed25519 key"
    case .blinded15, .blinded25: "blinded Ed25519 key"
    }
  }
}
