import SessionBase
import SessionDaemon

/// A parameter of a method.
struct MethodParameter: Sendable {
  enum Kind: Hashable, Sendable {
    case text
    case number
    case boolean
    /// One of these texts.
    case word([String])
    /// A text or an array of texts.
    case texts
    /// A number or a text.
    case any
    /// A path or an ``AttachedFiles`` object, or an array of them.
    case files
    /// A text, or `{"fd": N}` for a file that comes with the call.
    case secret
  }

  let name: String
  let kind: Kind
  /// Without a full stop.
  let summary: String
  var isRequired = false
}

extension MethodParameter {
  static let account = Self(
    name: "account", kind: .text, summary: "the account; that of 'hello', or else the only one, if missing")

  static func required(_ name: String, _ kind: Kind, _ summary: String) -> Self {
    Self(name: name, kind: kind, summary: summary, isRequired: true)
  }

  static func optional(_ name: String, _ kind: Kind, _ summary: String) -> Self {
    Self(name: name, kind: kind, summary: summary)
  }
}
