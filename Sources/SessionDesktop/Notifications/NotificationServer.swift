import Synchronization

/// The program that shows notifications on a desktop.
package final class NotificationServer: Sendable {
  /// What the program can do.
  package struct Abilities: Hashable, Sendable {
    package var hasActions = false
    package var hasReplies = false
    package var hasMarkup = false
    /// True if notifications stay until the person has seen them.
    package var isPersistent = false

    package init() {}

    /// The words of `GetCapabilities`; of very many, the first ones.
    init(_ words: [String]) {
      let known = Set(words.prefix(1000))
      hasActions = known.contains("actions")
      hasReplies = known.contains("inline-reply")
      hasMarkup = known.contains("body-markup")
      isPersistent = known.contains("persistence")
    }
  }

  /// What the program, or the person who uses it, does.
  package enum Happening: Hashable, Sendable {
    /// The person chose an action. The token lets a program that is started then come to the front.
    case chosen(UInt32, String, token: String?)
    case answered(UInt32, String)
    case closed(UInt32)
    /// Another program shows notifications now, or none; what was shown is gone.
    case replaced
  }

  private struct State {
    var owner: String?
    var abilities: Abilities?
    /// The last token, which comes before the choice that it is for.
    var token: (id: UInt32, text: String)?
  }

  package static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  /// The longest token.
  private static let maxToken = 1000

  private let bus: Bus
  private let state = Mutex(State())
  private let hear: @Sendable (Happening) -> Void

  /// `hear` is called on the thread of the bus, which it must not block.
  package init(on bus: Bus, hear: @escaping @Sendable (Happening) -> Void) {
    (self.bus, self.hear) = (bus, hear)
  }

  /// The unique name of the program on its bus; nil if there is none.
  package var owner: String? { state.withLock { $0.owner } }

  /// Begins to listen. Blocks.
  package func start() throws(BusFailure) {
    try bus.hear(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'"
    ) { [weak self] signal in
      guard signal.isFromBus, signal.values.count == 3, let owner = signal.values[2].text else { return }
      self?.take(owner: owner.isEmpty ? nil : owner)
    }
    try bus.hear("type='signal',interface='\(Self.name)',path='\(Self.path)'") { [weak self] signal in
      self?.take(signal)
    }
    // The bus starts the program if it can. One that cannot be started shows nothing.
    _ = try? bus.callBlocking(.bus("StartServiceByName"), [.string(Self.name), .uint32(0)])
    let reply = try? bus.callBlocking(.bus("GetNameOwner"), [.string(Self.name)])
    if let owner = reply?.first?.text { state.withLock { $0.owner = $0.owner ?? owner } }
  }

  /// Asks the bus to start the program. That it has begun is heard as of any other.
  package func activate() async {
    _ = try? await bus.call(.bus("StartServiceByName"), [.string(Self.name), .uint32(0)])
  }

  private func take(owner: String?) {
    let isOther = state.withLock { state in
      guard state.owner != owner else { return false }
      let wasThere = state.owner != nil
      state = State(owner: owner)
      return wasThere || owner != nil
    }
    if isOther { hear(.replaced) }
  }

  /// Takes a signal; any program can send one, and only those of the owner count.
  private func take(_ signal: BusSignal) {
    guard let id = signal.values.first?.number, id > 0 else { return }
    let happening = state.withLock { state -> Happening? in
      guard signal.sender == state.owner else { return nil }
      switch (signal.member, signal.values.dropFirst().first) {
      case ("NotificationClosed", _): return .closed(id)
      case ("ActionInvoked", .string(let key)?):
        let token = state.token.flatMap { $0.id == id ? $0.text : nil }
        state.token = nil
        return .chosen(id, key, token: token)
      case ("NotificationReplied", .string(let text)?): return .answered(id, text)
      case ("ActivationToken", .string(let text)?):
        if text.utf8.count <= Self.maxToken { state.token = (id, text) }
        return nil
      default: return nil
      }
    }
    if let happening { hear(happening) }
  }

  // MARK: - Calls

  /// The capabilities of the program, fetched once.
  package func abilities() async throws(BusFailure) -> Abilities {
    let (owner, known) = state.withLock { ($0.owner, $0.abilities) }
    if let known { return known }
    let reply = try await bus.call(method("GetCapabilities"))
    guard case .array("s", let words)? = reply.first else {
      throw BusFailure(.message, "the notification server does not tell what it can do")
    }
    let abilities = Abilities(words.prefix(1000).compactMap(\.text))
    state.withLock { if $0.owner == owner { $0.abilities = abilities } }
    return abilities
  }

  /// The name and the version of the program.
  package func information() async throws(BusFailure) -> (name: String, version: String) {
    let texts = try await bus.call(method("GetServerInformation")).compactMap(\.text)
    guard texts.count == 4 else {
      throw BusFailure(.message, "the notification server does not tell its name")
    }
    return (texts[0], texts[2])
  }

  /// Shows a notification, in place of another one or of none. Returns its number.
  package func show(_ bubble: Bubble, replacing old: UInt32?) async throws(BusFailure) -> UInt32 {
    let abilities = try await abilities()
    let values = bubble.values(for: abilities)
    // The program's name, the number and the icon are the first three.
    let reply = try await bus.call(
      method("Notify"), [.string("Session"), .uint32(old ?? 0)] + values)
    guard let id = reply.first?.number, id > 0 else {
      throw BusFailure(.message, "the notification server gives no number")
    }
    return id
  }

  /// Closes a notification. One that is gone already is no failure.
  package func close(_ id: UInt32) async {
    _ = try? await bus.call(method("CloseNotification"), [.uint32(id)])
  }

  private func method(_ member: String) -> BusMethod { BusMethod(Self.name, Self.path, Self.name, member) }
}
