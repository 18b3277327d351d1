internal import CSessionCore

/// The 13 words an account can be restored from: as secret as the account itself.
///
/// A value of this type is always valid: it was derived from a seed, or parsed from text.
public struct RecoveryPhrase: Sendable, CustomStringConvertible, CustomReflectable {
  let seed: SecretBytes

  /// The words, separated by single spaces.
  public func text() throws(SessionError) -> SecretText {
    SecretText(
      utf8: try seed.withCore { (seed) throws(SessionError) in
        try Core.secret { sc_phrase_from_seed($0, sc_phrase_english(), seed.ptr) }
      })
  }

  public var description: String { "RecoveryPhrase" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
