import SessionCore

extension Inspection {
  /// The parts of an id.
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
  /// The curve of its key.
  fileprivate var curve: String {
    switch self {
    case .standard: "X25519 key"
    case .unblinded, .group, .version: "Ed25519 key"
    case .blinded15, .blinded25: "blinded Ed25519 key"
    }
  }
}
