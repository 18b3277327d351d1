/// Why a call over D-Bus failed.
package struct BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// libsystemd, or one of its functions, is missing.
    case noLibrary
    /// There is no bus.
    case noBus
    /// The connection has ended.
    case closed
    /// No reply in time.
    case timeout
    /// The other program replied with an error of this name.
    case refused(String)
    /// A message cannot be written or read.
    case message
  }

  package let kind: Kind
  /// Without a full stop.
  package let description: String

  package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}
