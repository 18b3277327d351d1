internal import CSessionCore

extension Collection<UInt8> {
  /// Lower-case hexadecimal digits.
  public var hex: String { text(characters: count * 2) { sc_hex_encode($0, $1) } }

  /// Standard base64 with padding.
  public var base64: String {
    text(characters: (count + 2) / 3 * 4) { _ = sc_base64_encode($0, $1, SC_BASE64_STANDARD) }
  }

  private func text(characters: Int, _ write: (UnsafeMutablePointer<CChar>, sc_bytes) -> Void) -> String {
    let bytes = Array(self)
    return String(unsafeUninitializedCapacity: characters + 1) { out in
      out.withMemoryRebound(to: CChar.self) { out in
        guard let out = out.baseAddress else { preconditionFailure("a string without storage") }
        bytes.withUnsafeBufferPointer { write(out, sc_bytes($0)) }
      }
      return characters
    }
  }
}

extension [UInt8] {
  /// Reads hexadecimal digits of either case.
  public init(hex text: some Collection<UInt8>) throws(SessionError) {
    var bytes = [UInt8](repeating: 0, count: text.count / 2)
    try text.lend { (text) throws(SessionError) in
      guard text.len % 2 == 0 else { throw SessionError(SC_ERR_HEX) }
      try SessionError.check(sc_hex_decode(&bytes, bytes.count, text))
    }
    self = bytes
  }

  /// Reads standard base64, with or without padding.
  public init(base64 text: some Collection<UInt8>) throws(SessionError) {
    var bytes = [UInt8]()
    try text.lend { (text) throws(SessionError) in
      var count = 0
      try SessionError.check(sc_base64_decoded_len(&count, text))
      bytes = [UInt8](repeating: 0, count: count)
      try SessionError.check(sc_base64_decode(&bytes, count, text, SC_BASE64_STANDARD))
    }
    self = bytes
  }
}
