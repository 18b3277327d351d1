package import SessionDesktop
package import Synchronization

/// A program that shows notifications, and does what a test wants.
package final class FakeNotificationServer: Sendable {
  /// A call of `Notify`.
  package struct Shown: Hashable, Sendable {
    package let id: UInt32
    package let replaced: UInt32
    package let title: String
    package let body: String
    /// The keys of the actions.
    package let actions: [String]
    package let hints: [String: BusValue]
  }

  package enum Call: Hashable, Sendable {
    case shown(Shown)
    case closed(UInt32)
  }

  package struct State: Sendable {
    package var capabilities = ["actions", "body", "body-markup", "inline-reply", "persistence"]
    /// The number of the next notification.
    package var next: UInt32 = 1
    /// `Notify` replies with this number, whatever it shows.
    package var answer: UInt32?
    /// `Notify` fails so many times.
    package var failures = 0
    /// It shows so many without a reply.
    package var silences = 0
  }

  package let state = Mutex(State())
  private let bus: Bus
  /// What was called, in order.
  package let calls: AsyncStream<Call>
  private let calling: AsyncStream<Call>.Continuation

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  /// Takes the name of the server, unless `isOwner` is false: then it is a stranger that only sends signals. Blocks.
  package init(on bus: Bus, isOwner: Bool = true) throws {
    self.bus = bus
    (calls, calling) = AsyncStream.makeStream(of: Call.self)
    bus.export(Self.path) { [weak self] call in self?.answer(call) ?? .silence }
    if isOwner { _ = try bus.take(name: Self.name) }
  }

  private func answer(_ call: BusSignal) -> BusAnswer {
    let state = state.withLock { $0 }
    switch call.member {
    case "GetCapabilities": return .values([.array(of: "s", state.capabilities.map { .string($0) })])
    case "GetServerInformation":
      return .values(["Fake", "test", "1.0", "1.2"].map { .string($0) })
    case "Notify": return show(call.values)
    case "CloseNotification":
      guard let id = call.values.first?.number else { return .error("test.Error", "no number") }
      calling.yield(.closed(id))
      return .values([])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod", call.member)
    }
  }

  private func show(_ values: [BusValue]) -> BusAnswer {
    let id = state.withLock { state -> UInt32? in
      guard state.failures == 0 else {
        state.failures -= 1
        return nil
      }
      if let old = values[1].number, old > 0 { return state.answer ?? old }
      defer { state.next += 1 }
      return state.answer ?? state.next
    }
    guard let id else { return .error("test.Error.No", "not now") }
    var hints: [String: BusValue] = [:]
    for case .entry(.string(let name), .variant(let value)) in values[6].elements ?? [] {
      hints[name] = value
    }
    let actions = (values[5].elements ?? []).enumerated().filter { $0.offset % 2 == 0 }.compactMap(
      \.element.text)
    calling.yield(
      .shown(
        Shown(
          id: id, replaced: values[1].number ?? 0, title: values[3].text ?? "", body: values[4].text ?? "",
          actions: actions, hints: hints)))
    let isSilent = state.withLock { state in
      guard state.silences > 0 else { return false }
      state.silences -= 1
      return true
    }
    return isSilent ? .silence : .values([.uint32(id)])
  }

  /// Sends a signal.
  package func signal(_ member: String, _ values: BusValue...) {
    bus.send(BusSignal(sender: "", path: Self.path, interface: Self.name, member: member, values: values))
  }

  package func choose(_ key: String, of id: UInt32) { signal("ActionInvoked", .uint32(id), .string(key)) }

  package func reply(_ text: String, to id: UInt32) {
    signal("NotificationReplied", .uint32(id), .string(text))
  }
}
