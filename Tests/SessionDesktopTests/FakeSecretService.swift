import SessionBase
import Synchronization

@testable import SessionDesktop

/// A store of secrets that does what a test wants.
final class FakeSecretService: Sendable {
  struct Item: Sendable {
    var keyID: String
    var secret: [UInt8]
  }

  /// What becomes of a prompt.
  enum Prompting: Sendable {
    case answered
    case dismissed
    case never
  }

  struct State: Sendable {
    var hasDefault = true
    var isLocked = false
    var prompting = Prompting.answered
    /// It says that items were stored, and stores none.
    var losesItems = false
    /// Items vanish between search and read.
    var vanishing = false
    /// It answers with something else.
    var isWrong = false
    var items: [String: Item] = [:]
    var prompts = 0
    var dismissals = 0
  }

  let state = Mutex(State())
  private let bus: Bus

  private static let root = "/org/freedesktop/secrets"
  private static let collection = root + "/collection/login"
  private static let prompt = root + "/prompt/1"

  /// Takes the name of the Secret Service. Blocks.
  init(on bus: Bus) throws {
    self.bus = bus
    let items = (1...9).map { "\(Self.collection)/\($0)" }
    for path in [Self.root, Self.collection, Self.prompt] + items {
      bus.export(path) { [weak self] call in self?.answer(call) ?? .silence }
    }
    _ = try bus.take(name: "org.freedesktop.secrets")
  }

  private func answer(_ call: BusSignal) -> BusAnswer {
    let isWrong = state.withLock { $0.isWrong }
    guard !isWrong || call.member == "OpenSession" else { return .values([.uint32(7)]) }
    switch call.member {
    case "OpenSession": return .values([.variant(.string("")), .path(Self.root + "/session/1")])
    case "ReadAlias": return .values([.path(state.withLock { $0.hasDefault } ? Self.collection : "/")])
    case "Get": return .values([.variant(.boolean(state.withLock { $0.isLocked }))])
    case "SearchItems": return search(call)
    case "Unlock":
      guard state.withLock({ $0.isLocked }) else { return .values([call.values[0], .path("/")]) }
      return .values([.array(of: "o", []), .path(Self.prompt)])
    case "Prompt": return prompted()
    case "Dismiss":
      state.withLock { $0.dismissals += 1 }
      return .values([])
    case "CreateItem": return create(call)
    case "GetSecret": return secret(call)
    case "Delete":
      state.withLock { $0.items[call.path] = nil }
      return .values([.path("/")])
    default: return .error("org.freedesktop.DBus.Error.UnknownMethod", call.member)
    }
  }

  private static func keyID(in attributes: BusValue?) -> String? {
    for case .entry(.string("key-id"), .string(let id)) in attributes?.elements ?? [] { return id }
    return nil
  }

  private func search(_ call: BusSignal) -> BusAnswer {
    let id = Self.keyID(in: call.values.first)
    return state.withLock { state in
      let found = state.items.filter { $0.value.keyID == id }.keys.sorted().map { BusValue.path($0) }
      if state.vanishing { state.items = [:] }
      let (open, locked) = state.isLocked ? ([], found) : (found, [])
      return .values([.array(of: "o", open), .array(of: "o", locked)])
    }
  }

  private func prompted() -> BusAnswer {
    let outcome = state.withLock { state in
      state.prompts += 1
      if state.prompting == .answered { state.isLocked = false }
      return state.prompting
    }
    guard outcome != .never else { return .values([]) }
    let paths = state.withLock { $0.items.keys.sorted() } + [Self.collection]
    bus.send(
      BusSignal(
        sender: "", path: Self.prompt, interface: "org.freedesktop.Secret.Prompt", member: "Completed",
        values: [
          .boolean(outcome == .dismissed), .variant(.array(of: "o", paths.map { .path($0) })),
        ]))
    return .values([])
  }

  private func create(_ call: BusSignal) -> BusAnswer {
    let attributes = call.values[0].elements?.compactMap { entry -> BusValue? in
      guard case .entry(.string("org.freedesktop.Secret.Item.Attributes"), let value) = entry else {
        return nil
      }
      return value.inner
    }.first
    let id = Self.keyID(in: attributes ?? nil) ?? ""
    let secret = call.values[1].elements?[2].content ?? []
    let path = state.withLock { state in
      let replaced = call.values[2].isTrue == true ? state.items.first { $0.value.keyID == id }?.key : nil
      let path = replaced ?? "\(Self.collection)/\(state.items.count + 1)"
      if !state.losesItems { state.items[path] = Item(keyID: id, secret: secret) }
      return path
    }
    return .values([.path(path), .path("/")])
  }

  private func secret(_ call: BusSignal) -> BusAnswer {
    state.withLock { state in
      guard !state.isLocked else { return .error("org.freedesktop.Secret.Error.IsLocked", "locked") }
      guard let item = state.items[call.path] else {
        return .error("org.freedesktop.Secret.Error.NoSuchObject", "gone")
      }
      return .values([
        .structure([call.values[0], .bytes([]), .bytes(item.secret), .string("text/plain")])
      ])
    }
  }
}
