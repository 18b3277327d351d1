/// Text that stays secret: in guarded memory, wiped when the last copy goes, never printed.
public struct SecretText: Sendable, CustomStringConvertible, CustomReflectable {
  let utf8: SecretBytes

  /// Creates a text from bytes that are valid UTF-8.
  package init(utf8: SecretBytes) { self.utf8 = utf8 }

  /// Lends the text as UTF-8 to a closure.
  public func withUTF8<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try utf8.withBytes(body)
  }

  /// The text as an ordinary string, never wiped; for display to its owner.
  public func reveal() -> String { String(decoding: utf8.reveal(), as: UTF8.self) }

  public var description: String { "SecretText" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
