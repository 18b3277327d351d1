import SessionCore
import Synchronization

/// The room on the device for copies of content that are being sent, of which each client has a part at most.
final class CopyRoom: Sendable {
  /// Who has copies sent.
  enum Client: Hashable, Sendable {
    /// A person who signs, by their number.
    case person(Int64)
    /// Those who ask from an address without signing, by ``NetworkAddress/clientBytes``.
    case stranger([UInt8])
    /// All who ask from an address: ids cost nothing.
    case address([UInt8])

    /// They have one of so many parts of the room.
    fileprivate var part: Int {
      switch self {
      case .person, .stranger: 8
      case .address: 2
      }
    }
  }

  /// Room that is taken until the last reference to it is gone.
  final class Share: Sendable {
    private let room: CopyRoom
    private let count: Int
    private let clients: [Client]

    fileprivate init(_ count: Int, for clients: [Client], of room: CopyRoom) {
      (self.count, self.clients, self.room) = (count, clients, room)
    }

    deinit { room.give(count, of: clients) }
  }

  private struct State {
    var used = 0
    var ofClients: [Client: Int] = [:]
  }

  private let maxBytes: Int
  private let state = Mutex(State())

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  /// Takes room for so many bytes, as a part of what each of these clients has; nil if there is none.
  func take(_ count: Int, for clients: [Client]) -> Share? {
    let isTaken = state.withLock { state in
      guard state.used + count <= maxBytes,
        clients.allSatisfy({ state.ofClients[$0, default: 0] + count <= maxBytes / $0.part })
      else { return false }
      state.used += count
      for client in clients { state.ofClients[client, default: 0] += count }
      return true
    }
    return isTaken ? Share(count, for: clients, of: self) : nil
  }

  private func give(_ count: Int, of clients: [Client]) {
    state.withLock { state in
      state.used -= count
      for client in clients {
        let left = (state.ofClients[client] ?? count) - count
        state.ofClients[client] = left > 0 ? left : nil
      }
    }
  }
}

extension CopyRoom.Client {
  /// Those whose parts a request uses. `isOfMany` is true if its address may be that of all clients.
  static func all(of person: Int64?, at origin: NetworkAddress?, isOfMany: Bool) -> [Self] {
    let address = origin?.clientBytes ?? []
    let first = person.map { Self.person($0) } ?? .stranger(address)
    return isOfMany ? [first] : [first, .address(address)]
  }
}

extension NetworkAddress {
  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
  private static let networkBytes = 8

  /// The bytes by which a client is known: one client has all IPv6 addresses of a network.
  var clientBytes: [UInt8] {
    let host = hostBytes
    if host.count == 4 { return host }
    return host.starts(with: Self.mappedPrefix)
      ? Array(host.dropFirst(Self.mappedPrefix.count)) : Array(host.prefix(Self.networkBytes))
  }
}
