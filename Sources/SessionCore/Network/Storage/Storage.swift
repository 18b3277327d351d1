internal import CSessionCore

/// Calls to storage nodes and their replies.
///
/// Each call is a value with its own reply type; ``Network`` sends it. Times are those of the network, and set when a
/// request is sent, unless it names one.
public enum Storage {
  /// A call to storage nodes. Only the types here conform.
  public protocol Request: Sendable {
    associatedtype Reply: Sendable

    var call: Call<Reply> { get }
  }

  /// An encoded request, and the parser of its reply.
  public struct Call<Reply: Sendable>: Sendable {
    typealias Write =
      @Sendable (_ loan: CoreArena, _ time: UInt64) throws(SessionError) -> sc_storage_request
    typealias Fill =
      @Sendable (inout sc_storage_request, _ loan: CoreArena, _ time: UInt64) throws(SessionError) -> Void
    typealias Read = @Sendable (_ answer: Reading) throws(SessionError) -> Reply

    let write: Write
    let read: Read

    init(_ write: @escaping Write, read: @escaping Read) {
      self.write = write
      self.read = read
    }

    /// A request about an account, completed by `fill`, and then signed if there is a signer.
    init(
      _ method: sc_storage_method, about account: SessionID, as signer: Signer?,
      _ fill: @escaping Fill,
      read: @escaping Read
    ) {
      self.init(
        { (loan, time) throws(SessionError) in
          var request = sc_storage_request(method, account)
          try fill(&request, loan, time)
          try signer?.withCore { (signer) throws(SessionError) in
            try Core.call { sc_storage_request_sign(&request, nil, signer) }
          }
          return request
        }, read: read)
    }

    /// A signed request that the nodes of a swarm carry out.
    init<Success>(
      _ method: sc_storage_method, as signer: Signer,
      _ fill: @escaping Fill,
      success: @escaping @Sendable (sc_storage_member) throws(SessionError) -> Success
    ) where Reply == Outcome<Success> {
      self.init(method, about: signer.account, as: signer, fill) { (reading) throws(SessionError) in
        try reading.outcome(success)
      }
    }
  }

  /// The nodes of a swarm, whose signatures count.
  struct Keepers: Sendable {
    let keys: [[UInt8]]
    /// The nodes that must store a message, if there are so many, besides half of all.
    let least: Int

    init?(_ core: sc_storage_keepers) {
      guard core.count > 0 else { return nil }
      keys = UnsafeBufferPointer(start: core.keys, count: core.count).map { array($0) }
      least = core.least
    }

    /// Calls `body` with these nodes in the core's form; nil if `keepers` is nil.
    static func lend<Result>(
      _ keepers: Self?, _ body: (UnsafePointer<sc_storage_keepers>?) throws(SessionError) -> Result
    ) throws(SessionError) -> Result {
      guard let keepers else { return try body(nil) }
      return try CoreArena.lend { (loan) throws(SessionError) in
        let keys = Array(keepers.keys.joined())
        return try body(
          loan.value(
            sc_storage_keepers(
              keys: loan.array(of: keys), count: keepers.keys.count, least: keepers.least)))
      }
    }
  }

  /// A parsed reply, with its request and the nodes that should have taken part.
  struct Reading {
    let request: UnsafePointer<sc_storage_request>
    let reply: UnsafePointer<sc_storage_reply>
    let keepers: Keepers?
  }
}

extension CoreArena {
  func hashes(_ hashes: [String]) -> sc_storage_hashes {
    sc_storage_hashes(list: list(hashes.map(text)), count: hashes.count)
  }
}

extension Storage {
  /// A signed request, ready to send.
  struct Draft {
    private let loan: CoreArena
    private let request: UnsafePointer<sc_storage_request>

    init<Reply>(_ call: Call<Reply>, at time: UInt64) throws(SessionError) {
      loan = CoreArena()
      request = loan.value(try call.write(loan, time))
    }

    /// The account the request is about; nil for none, and for more than one.
    private var account: SessionID? {
      let batch = request.pointee.of.batch
      let isBatch = [SC_STORAGE_BATCH, SC_STORAGE_SEQUENCE].contains(request.pointee.method)
      let requests = UnsafeBufferPointer(
        start: isBatch ? batch.requests : request, count: isBatch ? batch.count : 1)
      guard requests.allSatisfy({ sc_storage_method_has_account($0.method) }) else { return nil }
      let accounts = Set(requests.map { request in array(request.account) })
      guard accounts.count == 1, let account = accounts.first else { return nil }
      return try? SessionID(bytes: account)
    }

    func outgoing(to destination: Network.Destination?, _ delivery: Network.Delivery) throws(SessionError)
      -> OutgoingRequest
    {
      let account = account
      var core = sc_network_request()
      core.storage = request
      core.deliver(delivery)
      switch destination ?? (account == nil ? .anyNode : .swarm) {
      case .swarm: core.to = SC_NETWORK_TO_SWARM
      case .anyNode: core.to = SC_NETWORK_TO_ANY_NODE
      case .node(let key):
        guard key.count == Int(SC_KEY_BYTES) else { throw SessionError(SC_ERR_KEY_SIZE) }
        core.to = SC_NETWORK_TO_NODE
        fill(&core.node, with: key)
      }
      return OutgoingRequest(core, in: loan)
    }

    func answer<Reply>(
      _ reply: NetworkReply, _ read: Call<Reply>.Read
    ) throws(SessionError) -> Network.Answer<Reply> {
      // A deletion that requires its messages gets 404 with a complete reply if there are none.
      let isNothing = reply.code == 404 && request.pointee.method == SC_STORAGE_DELETE
      guard let node = reply.node, reply.isSuccess || isNothing else {
        throw SessionError(refusedWith: reply.code, reply.body, by: reply.node)
      }
      var parsed = sc_storage_parsed_reply()
      defer { sc_storage_parsed_reply_free(&parsed) }
      // The parsed reply borrows from the body.
      return try reply.body.lend { (body) throws(SessionError) in
        try Core.call { sc_storage_reply_parse(&parsed, nil, request, body) }
        let value = try withUnsafePointer(to: parsed.reply) { (parsed) throws(SessionError) in
          try read(Reading(request: request, reply: parsed, keepers: reply.keepers))
        }
        return Network.Answer(reply: value, node: node, attempts: reply.attempts)
      }
    }
  }
}
