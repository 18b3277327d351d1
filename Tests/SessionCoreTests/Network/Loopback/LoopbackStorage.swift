import CSessionCore
import SessionNode
import SessionNodeCore
import Synchronization

@testable import SessionCore

/// The shared storage of all nodes of a network on loopback, and their replies.
final class LoopbackStorage: Sendable {
  /// The reply of a node to a call.
  struct Answer: Sendable {
    let code: Int
    let body: StorageBody

    /// Not what it should be. The text takes the place of a document.
    static func text(_ code: Int, _ text: String) -> Answer {
      Answer(code: code, body: StorageBody(Array(text.utf8), .json))
    }
  }

  /// A call that reached a node.
  struct Asked: Hashable, Sendable {
    let node: [UInt8]
    let method: String
  }

  /// The misbehaviour of a node.
  enum Mischief: Sendable {
    case answer(Answer)
    /// Nothing, until it is stopped.
    case stall(Waiting)
    /// Says of another member of the swarm what that did not sign.
    case forge
    /// Says that this member of the swarm failed.
    case fail([UInt8], SwarmMember.Outcome)
    /// Says nothing of this member of the swarm.
    case omit([UInt8])
    /// Claims that an unknown node did it as well.
    case invent
    /// Gives other data than was stored.
    case corrupt
  }

  struct Row {
    let account: [UInt8]
    let namespace: Int16
    var message: SessionCore.StoredMessage
  }

  struct State {
    var members: [LoopbackNetwork.Member] = []
    var rows: [Row] = []
    var revoked: [[UInt8]] = []
    var asked: [Asked] = []
    var misbehave: @Sendable (Asked) -> Mischief? = { _ in nil }
    /// How far the clocks of all nodes are ahead.
    var clockAhead: Int64 = 0
    /// Accounts that are not where they are computed to be.
    var moved: [[UInt8]: UInt64] = [:]
  }

  private let state = Mutex(State())

  func found(_ members: [LoopbackNetwork.Member]) { state.withLock { $0.members = members } }

  /// Asks before each call whether the node should do something else.
  func misbehave(_ behaviour: @escaping @Sendable (Asked) -> Mischief?) {
    state.withLock { $0.misbehave = behaviour }
  }

  func setClocks(ahead milliseconds: Int64) { state.withLock { $0.clockAhead = milliseconds } }

  func move(_ account: SessionID, to swarm: UInt64) { state.withLock { $0.moved[account.bytes] = swarm } }

  var clock: StorageClock { state.withLock { $0.clock } }
  var asked: [Asked] { state.withLock { $0.asked } }
  var hashes: [String] { state.withLock { $0.rows.map(\.message.hash) } }

  func expiry(of hash: String) -> UInt64? {
    state.withLock { $0.rows.first { $0.message.hash == hash }?.message.expiry }
  }

  /// How often a method was asked for, of whatever node.
  func count(of method: String) -> Int { asked.count { $0.method == method } }

  /// Carries a call out.
  func answer(_ bytes: [UInt8], at number: Int) async throws -> Answer {
    let call = try StorageCall(call: bytes)
    let (asked, misbehave) = state.withLock { state in
      let asked = Asked(node: state.members[number].record.key, method: call.request.method)
      state.asked.append(asked)
      return (asked, state.misbehave)
    }
    let mischief = misbehave(asked)
    switch mischief {
    case .answer(let answer): return answer
    case .stall(let waiting):
      _ = try await waiting.wait()
      return .text(500, "stopped")
    default:
      let act = LoopbackAct(node: asked.node, mischief: mischief)
      return try state.withLock { state in
        let result = try act.result(of: call.request, on: &state)
        return Answer(code: result.code, body: try call.write(result, clock: state.clock))
      }
    }
  }
}

extension LoopbackStorage.State {
  var clock: StorageClock {
    StorageClock(time: UInt64(Int64(sc_clock_wall_ms()) + clockAhead), fork: NetworkFile.usualFork)
  }

  /// The nodes that keep an account.
  func swarm(of account: [UInt8]) -> [LoopbackNetwork.Member] {
    let id = moved[account] ?? SwarmSpace(members.map(\.record.swarm)).swarm(of: account)
    return members.filter { $0.record.swarm == id }
  }
}
