import SessionCore
import Synchronization

/// The room on the device for copies of content that are being sent, of which each client has a part at most.
final class CopyRoom: Sendable {
  /// Who has copies sent.
  enum Client: Hashable, Sendable {
    /// A person who signs, by their number.
    case person(Int64)
    /// Whoever asks from an address without signing.
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

extension CommunityAnswering.Signer {
  /// Those whose parts of the room for copies a request uses.
  var copyClients: [CopyRoom.Client] {
    let host = origin?.hostBytes ?? []
    return [person.map { .person($0) } ?? .stranger(host), .address(host)]
  }
}
