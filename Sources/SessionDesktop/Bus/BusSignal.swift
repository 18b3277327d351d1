/// A signal, or a call of an object of ours.
package struct BusSignal: Hashable, Sendable {
  /// The unique name of the connection that it comes from.
  package let sender: String
  package let path: String
  package let interface: String
  package let member: String
  package let values: [BusValue]

  package init(sender: String, path: String, interface: String, member: String, values: [BusValue]) {
    (self.sender, self.path, self.interface, self.member, self.values) = (
      sender, path, interface, member, values
    )
  }

  /// True for a signal of the bus itself. Any program can send one that only looks like it.
  var isFromBus: Bool { sender == "org.freedesktop.DBus" }
}
