/// What a client can do with an account that a program serves.
package enum AccountChange: Hashable, Sendable {
  /// Closes an account that has a passphrase, and forgets its key.
  case lock
  /// Stops polling and sending; what is stored can be read.
  case suspend
  case resume
}
