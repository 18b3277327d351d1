internal import CSessionCore

/// The 13 words an account can be restored from: as secret as the account itself.
///
/// A value of this type is valid: it was made from a seed, or read from text that was checked.
public struct RecoveryPhrase: Sendable {
  let seed: SecretBytes

  /// The words with single spaces between them.
  public func text() throws(SessionError) -> SecretText {
    SecretText(
      utf8: try seed.withCore { (seed) throws(SessionError) in
        try Core.secret { sc_phrase_from_seed($0, sc_phrase_english(), seed.ptr) }
      })
  }
}

extension RecoveryPhrase: CustomStringConvertible, CustomReflectable {
  public var description: String { "RecoveryPhrase" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
