import Synchronization

/// What this program is for others on the bus of a desktop: something to open, and a number of unread messages. Any program on
/// the bus can call it, so it does nothing else.
package final class DesktopObject: Sendable {
  /// What is unread.
  package struct Status: Hashable, Sendable {
    package struct Account: Hashable, Sendable {
      package let name: String
      package let unread: UInt32
      package let state: String

      package init(name: String, unread: UInt32, state: String) {
        (self.name, self.unread, self.state) = (name, unread, state)
      }
    }

    package var unread: UInt32 = 0
    package var mentions: UInt32 = 0
    package var requests: UInt32 = 0
    package var accounts: [Account] = []

    package init() {}

    fileprivate var values: [(String, BusValue)] {
      [
        ("Unread", .uint32(unread)), ("Mentions", .uint32(mentions)), ("Requests", .uint32(requests)),
        (
          "Accounts",
          .array(
            of: "(sus)",
            accounts.map { .structure([.string($0.name), .uint32($0.unread), .string($0.state)]) })
        ),
      ]
    }
  }

  /// What another program wants to be opened.
  package enum Thing: Hashable, Sendable {
    case program
    case account(String)
    /// What claims to be a link: nothing of it was looked at.
    case link(String)
  }

  package static let path = "/" + ApplicationID.name.replacing(".", with: "/")
  static let statusInterface = ApplicationID.name + ".Status1"
  private static let application = "org.freedesktop.Application"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let launcher = "com.canonical.Unity.LauncherEntry"
  /// The only action.
  private static let open = "open"
  private static let maxToken = 1000
  private static let maxLink = 4096

  private let bus: Bus
  private let status = Mutex(Status())
  private let open: @Sendable (Thing, _ token: String?) -> Void

  /// `open` shows something in front of the person. It is called on the thread of the bus, which it must
  /// not block, and bounds by itself how often it does something.
  package init(
    on bus: Bus, open: @escaping @Sendable (Thing, _ token: String?) -> Void
  ) {
    (self.bus, self.open) = (bus, open)
    bus.export(Self.path) { [weak self] call in self?.answer(call) ?? .silence }
  }

  /// Takes the name of the program, unless another one has it. Blocks.
  package func takeName() -> Bool { (try? bus.take(name: ApplicationID.name)) ?? false }

  /// Tells what is unread now.
  package func set(_ new: Status) {
    let old = status.withLock { status in
      defer { status = new }
      return status
    }
    guard old != new else { return }
    let changed = zip(new.values, old.values).filter { $0.1 != $1.1 }.map(\.0)
    send(
      Self.properties, "PropertiesChanged",
      [
        .string(Self.statusInterface), .options(changed), .array(of: "s", []),
      ])
    let count = Int64(new.unread)
    let entry: [(String, BusValue)] = [
      ("count", .int64(count)), ("count-visible", .boolean(count > 0)),
      ("urgent", .boolean(new.mentions > 0)),
    ]
    send(
      Self.launcher, "Update",
      [
        .string("application://\(ApplicationID.name).desktop"), .options(entry),
      ])
  }

  private func send(_ interface: String, _ member: String, _ values: [BusValue]) {
    bus.send(
      BusSignal(sender: "", path: Self.path, interface: interface, member: member, values: values))
  }

  // MARK: - Calls

  private func answer(_ call: BusSignal) -> BusAnswer {
    switch (call.interface, call.member) {
    case (Self.application, "Activate"):
      open(.program, Self.token(in: call.values.first))
      return .values([])
    case (Self.application, "ActivateAction"):
      guard call.values.count == 3, call.values[0].text == Self.open,
        let parameters = call.values[1].elements, parameters.count <= 1
      else { return .error("org.freedesktop.DBus.Error.InvalidArgs", "the only action is \(Self.open)") }
      let account = parameters.first?.inner?.text
      open(account.map { .account($0) } ?? .program, Self.token(in: call.values[2]))
      return .values([])
    case (Self.application, "Open"):
      guard call.values.count == 2, let links = call.values[0].elements, links.count == 1,
        let link = links[0].text, link.utf8.count <= Self.maxLink
      else { return .error("org.freedesktop.DBus.Error.InvalidArgs", "one link is opened at a time") }
      open(.link(link), Self.token(in: call.values[1]))
      return .values([])
    case (Self.properties, "Get"):
      guard call.values.count == 2, call.values[0].text == Self.statusInterface,
        let value = status.withLock({ $0 }).values.first(where: { $0.0 == call.values[1].text })?.1
      else { return .error("org.freedesktop.DBus.Error.UnknownProperty", "there is no such property") }
      return .values([.variant(value)])
    case (Self.properties, "GetAll"):
      let isOurs = call.values.first?.text == Self.statusInterface
      return .values([.options(isOurs ? status.withLock { $0 }.values : [])])
    case (Self.properties, "Set"):
      return .error("org.freedesktop.DBus.Error.PropertyReadOnly", "it can only be read")
    case ("org.freedesktop.DBus.Introspectable", "Introspect"): return .values([.string(Self.description)])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod", "there is no such method")
    }
  }

  /// What lets a program come to the front, of the data that a desktop gives.
  private static func token(in data: BusValue?) -> String? {
    for case .entry(.string("activation-token"), .variant(.string(let text))) in data?.elements ?? []
    where text.utf8.count <= maxToken { return text }
    return nil
  }

  private static let description = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
    "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
    <node>
      <interface name="\(application)">
        <method name="Activate"><arg type="a{sv}" direction="in"/></method>
        <method name="Open"><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/></method>
        <method name="ActivateAction">
          <arg type="s" direction="in"/><arg type="av" direction="in"/><arg type="a{sv}" direction="in"/>
        </method>
      </interface>
      <interface name="\(statusInterface)">
        <property name="Unread" type="u" access="read"/>
        <property name="Mentions" type="u" access="read"/>
        <property name="Requests" type="u" access="read"/>
        <property name="Accounts" type="a(sus)" access="read"/>
      </interface>
    </node>
    """
}
