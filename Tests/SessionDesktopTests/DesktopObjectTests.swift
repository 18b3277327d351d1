import PrivateBuses
import SessionBase
import Testing

@testable import SessionDesktop

/// What the program is for others on the bus of a desktop.
@Suite(.enabled(if: PrivateBus.isPossible, "\(PrivateBus.reason)"), .timeLimit(.minutes(5)))
struct DesktopObjectTests {
  private struct Opening: Hashable, Sendable {
    let thing: DesktopObject.Thing
    let token: String?
  }

  private let bus: PrivateBus
  private let openings: AsyncStream<Opening>
  private let object: DesktopObject
  private let other: Bus

  init() async throws {
    let bus = try PrivateBus()
    let (openings, opening) = AsyncStream.makeStream(of: Opening.self)
    (self.bus, self.openings) = (bus, openings)
    object = DesktopObject(on: try bus.connected()) { opening.yield(Opening(thing: $0, token: $1)) }
    other = try bus.connected()
    let object = object
    #expect(await WorkerQueue("test.bus").run { object.takeName() })
  }

  private func call(_ interface: String, _ member: String, _ values: BusValue...) async throws -> [BusValue] {
    try await other.call(BusMethod(ApplicationID.name, DesktopObject.path, interface, member), values)
  }

  private static let properties = "org.freedesktop.DBus.Properties"
  private static let application = "org.freedesktop.Application"

  private func status(_ unread: UInt32, mentions: UInt32 = 0) -> DesktopObject.Status {
    var status = DesktopObject.Status()
    (status.unread, status.mentions) = (unread, mentions)
    status.accounts = [.init(name: "alice", unread: unread, state: "open")]
    return status
  }

  @Test func otherProgramsReadHowMuchIsUnread() async throws {
    object.set(status(3))
    let name = BusValue.string(DesktopObject.statusInterface)
    #expect(try await call(Self.properties, "Get", name, .string("Unread")) == [.variant(.uint32(3))])
    let all = try await call(Self.properties, "GetAll", name)
    #expect(
      all == [
        .options([
          ("Unread", .uint32(3)), ("Mentions", .uint32(0)), ("Requests", .uint32(0)),
          (
            "Accounts",
            .array(of: "(sus)", [.structure([.string("alice"), .uint32(3), .string("open")])])
          ),
        ])
      ])
    let text = try await call("org.freedesktop.DBus.Introspectable", "Introspect").first?.text
    #expect(text?.contains(DesktopObject.statusInterface) == true)
    for (interface, member, values) in [
      (Self.properties, "Get", [name, .string("Messages")]), (Self.properties, "Get", [name]),
      (Self.properties, "Set", [name, .string("Unread"), .variant(.uint32(0))]),
      (Self.application, "Send", []),
    ] as [(String, String, [BusValue])] {
      await #expect(throws: BusFailure.self, "\(member)") {
        try await other.call(
          BusMethod(ApplicationID.name, DesktopObject.path, interface, member), values)
      }
    }
    #expect(try await call(Self.properties, "Get", name, .string("Unread")) == [.variant(.uint32(3))])
  }

  @Test func changesAreTold() async throws {
    let (heard, hearing) = AsyncStream.makeStream(of: BusSignal.self)
    let (path, other) = (DesktopObject.path, other)
    try await WorkerQueue("test.bus").run {
      try other.hear("type='signal',path='\(path)'") { hearing.yield($0) }
    }
    object.set(status(2, mentions: 1))
    // What is the same is not told.
    object.set(status(2, mentions: 1))
    object.set(status(0))
    var signals = heard.makeAsyncIterator()
    let changed = await signals.next()
    #expect(changed?.member == "PropertiesChanged")
    #expect(changed?.values.first == .string(DesktopObject.statusInterface))
    #expect(changed?.values[1].elements?.first == .entry(.string("Unread"), .variant(.uint32(2))))
    let launcher = await signals.next()
    #expect(launcher?.interface == "com.canonical.Unity.LauncherEntry" && launcher?.member == "Update")
    #expect(
      launcher?.values == [
        .string("application://\(ApplicationID.name).desktop"),
        .options([
          ("count", .int64(2)), ("count-visible", .boolean(true)), ("urgent", .boolean(true)),
        ]),
      ])
    _ = await signals.next()
    let gone = await signals.next()
    #expect(
      gone?.values.last
        == .options([
          ("count", .int64(0)), ("count-visible", .boolean(false)), ("urgent", .boolean(false)),
        ]))
  }

  @Test func callsOnlyOpenThings() async throws {
    let data = BusValue.options([
      ("activation-token", .string("token")), ("desktop-startup-id", .string("x")),
    ])
    _ = try await call(Self.application, "Activate", data)
    _ = try await call(
      Self.application, "ActivateAction", .string("open"),
      .array(of: "v", [.variant(.string("alice"))]), .options([]))
    for values in [
      [.string("send"), .array(of: "v", []), .options([])], [.string("open")], [],
      [.string("open"), .array(of: "v", [.variant(.string("a")), .variant(.string("b"))]), .options([])],
    ] as [[BusValue]] {
      await #expect(throws: BusFailure.self) {
        try await other.call(
          BusMethod(ApplicationID.name, DesktopObject.path, Self.application, "ActivateAction"), values)
      }
    }
    _ = try await call(
      Self.application, "Open", .array(of: "s", [.string("session:05")]), data)
    for links in [[], ["session:a", "session:b"], [String(repeating: "x", count: 4097)]] {
      await #expect(throws: BusFailure.self) {
        try await call(
          Self.application, "Open", .array(of: "s", links.map { .string($0) }), .options([]))
      }
    }
    _ = try await call(Self.application, "Activate")
    var opened = openings.makeAsyncIterator()
    #expect(await opened.next() == Opening(thing: .program, token: "token"))
    #expect(await opened.next() == Opening(thing: .account("alice"), token: nil))
    #expect(await opened.next() == Opening(thing: .link("session:05"), token: "token"))
    #expect(await opened.next() == Opening(thing: .program, token: nil))
  }
}
