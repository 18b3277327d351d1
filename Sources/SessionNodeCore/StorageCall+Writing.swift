internal import CSessionCore
public import SessionCore

/// The body of a reply, and its kind.
public struct StorageBody: Sendable {
  public enum Kind: UInt32, Sendable, CaseIterable {
    case json
    case bt
    /// Text or binary.
    case plain
  }

  public let bytes: [UInt8]
  public let kind: Kind

  public init(_ bytes: [UInt8], _ kind: Kind) {
    self.bytes = bytes
    self.kind = kind
  }

  public init(text: String) { self.init(Array(text.utf8), .plain) }
}

extension StorageCall {
  /// Writes the reply to the whole call, in the form of the call.
  public func write(_ result: StorageResult, clock: StorageClock) throws(SessionError) -> StorageBody {
    let loan = CoreArena()
    defer { withExtendedLifetime(loan) {} }
    let kind: StorageBody.Kind = form == .bt ? .bt : .json
    switch result.body {
    case .text(let text):
      return StorageBody(text: text)
    case .swarm(let swarm):
      var core = swarm.core(loan)
      var clock = clock.core
      return StorageBody(try Core.bytes { sc_storage_swarm_write($0, form.core, &core, &clock) }, kind)
    case .reply(let reply):
      var core = reply.core(loan, clock.core)
      let bytes = try Core.bytes { sc_storage_reply_write($0, form.core, request.core, &core) }
      if case .activeNodes = reply { return StorageBody(bytes, .plain) }
      return StorageBody(bytes, kind)
    }
  }
}

extension StorageBody {
  /// Returns the reply for QUIC; throws for an error.
  public func overQUIC(code: Int) throws(NetworkRefusal) -> [UInt8] {
    var isError = false
    let written = bytes.withUnsafeBufferPointer { bytes in
      var answer = sc_storage_answer(code: Int32(clamping: code), body: sc_bytes(bytes))
      return try? Core.bytes { sc_storage_answer_write($0, &isError, kind.core, &answer) }
    }
    guard let written else { throw NetworkRefusal(500, "Internal Server Error", details: "request failed") }
    guard !isError else { throw NetworkRefusal(code: UInt16(clamping: code), body: written) }
    return written
  }
}

extension StorageBody.Kind {
  var core: sc_storage_body { sc_storage_body(rawValue) }
}

extension StorageClock {
  fileprivate var core: sc_storage_clock {
    sc_storage_clock(has_time: true, time: time, has_fork: true, fork: (fork[0], fork[1]))
  }
}

extension StorageSwarm {
  func core(_ loan: CoreArena) -> sc_storage_swarm {
    sc_storage_swarm(id: id, nodes: nodes.core(loan))
  }
}

extension [NodeRecord] {
  fileprivate func core(_ loan: CoreArena) -> sc_storage_node_list {
    sc_storage_node_list(list: loan.list(map(\.core)), count: count, skipped: 0)
  }
}

extension StorageResult {
  fileprivate func core(_ loan: CoreArena, _ clock: sc_storage_clock) -> sc_storage_result {
    var result = sc_storage_result()
    result.code = Int32(clamping: code)
    switch body {
    case .reply(let reply): result.reply = loan.value(reply.core(loan, clock))
    case .swarm(let swarm): result.swarm = loan.value(swarm.core(loan))
    case .text(let text): result.text = loan.text(text)
    }
    return result
  }
}

extension StorageReply {
  fileprivate func core(_ loan: CoreArena, _ clock: sc_storage_clock) -> sc_storage_reply {
    var reply = sc_storage_reply()
    reply.clock = clock
    switch self {
    case .members(let members):
      reply.of.members = sc_storage_members(
        list: loan.list(members.map { $0.core(loan) }), count: members.count)
    case .messages(let messages, let hasMore):
      let list = loan.list(messages.map { $0.core(loan) })
      reply.of.messages = sc_storage_messages(list: list, count: messages.count, more: hasMore)
    case .expiries(let changes): reply.of.expiries = changes.core(loan)
    case .tokens(let tokens):
      reply.of.tokens = sc_storage_token_list(
        list: loan.array(of: tokens.flatMap { $0 }), count: tokens.count)
    case .swarm(let swarm): reply.of.swarm = swarm.core(loan)
    case .serviceNodes(let nodes, let height, let blockHash):
      reply.of.service_nodes = sc_storage_service_nodes(
        unchanged: nodes == nil, height: height, block_hash: loan.text(blockHash),
        nodes: (nodes ?? []).core(loan))
    case .unregisteredName: reply.of.name = sc_storage_name()
    case .info(let version, let timestamp):
      reply.of.info = sc_storage_info(version: (version[0], version[1], version[2]), timestamp: timestamp)
    case .activeNodes(let nodes): reply.of.active_nodes = nodes.core(loan)
    case .results(let results):
      let list = loan.list(results.map { $0.core(loan, clock) })
      reply.of.results = sc_storage_results(list: list, count: results.count)
    case .outcome(let isTrue, let height, let version, let result):
      reply.of.outcome = sc_storage_outcome(
        condition: isTrue, height: height, version: (version[0], version[1], version[2]),
        result: result.map { loan.value($0.core(loan, clock)) })
    }
    return reply
  }
}

extension StoredMessage {
  fileprivate func core(_ loan: CoreArena) -> sc_storage_message {
    sc_storage_message(
      hash: loan.text(hash), timestamp: timestamp, expiry: expiry, data: loan.bytes(data), dropped: false)
  }
}
