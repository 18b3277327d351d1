/// A further socket of the daemon, for programs of other users or with fewer rights.
package struct ExtraSocket: Hashable, Sendable {
  package let name: String
  package let path: String
  /// The group whose members may connect; nil if only the own user may, or those of the own group.
  package var group: UInt32?
  /// True if the group of the file may connect.
  package var isForGroup = false
  /// The users who may connect; nil for all whom the file lets connect.
  package var users: Set<UInt32>?
  /// The accounts that may be used; nil for all.
  package var accounts: Set<String>?
  package var scopes: Set<RPCScope> = [.read, .send]

  package init(_ name: String, at path: String) { (self.name, self.path) = (name, path) }
}
