internal import CSessionCore

extension Storage {
  /// Up to 20 requests in one, all about one account unless a node is named.
  ///
  ///     var batch = Storage.Batch()
  ///     let inbox = batch.add(Storage.Retrieve(.messages, as: me))
  ///     let contacts = batch.add(Storage.Retrieve(.contacts, as: me))
  ///     let results = try await network.send(batch).reply
  ///     let messages = try results[inbox].get()
  public struct Batch: Request {
    public enum Order: Hashable, Sendable {
      /// All at once, independently of each other.
      case together
      /// One after the other, up to the first failure.
      case sequence
    }

    /// The position of a request in its batch.
    public struct Place<Reply: Sendable>: Hashable, Sendable {
      let index: Int
    }

    private struct Item: Sendable {
      let write: Call<Never>.Write
      let read: Call<any Sendable>.Read
    }

    public static let maxCount = Int(SC_STORAGE_MAX_BATCH)

    public let order: Order
    private var items: [Item] = []

    public init(_ order: Order = .together) {
      self.order = order
    }

    public var count: Int { items.count }

    /// Appends a request. Batches and branches cannot be in a batch.
    public mutating func add<R: Request>(_ request: R) -> Place<R.Reply> {
      let call = request.call
      items.append(
        Item(write: call.write, read: { (reading) throws(SessionError) in try call.read(reading) }))
      return Place(index: items.count - 1)
    }

    public var call: Call<Results> {
      Call { (loan, time) throws(SessionError) in
        let requests = try items.map { (item) throws(SessionError) in try item.write(loan, time) }
        var batch = sc_storage_request(order == .together ? SC_STORAGE_BATCH : SC_STORAGE_SEQUENCE)
        batch.of.batch = sc_storage_batch(requests: loan.list(requests), count: requests.count)
        return batch
      } read: { (reading) throws(SessionError) in
        let results = reading.reply.pointee.of.results
        guard results.count <= items.count else { throw SessionError(SC_ERR_STORAGE_REPLY) }
        return Results(
          UnsafeBufferPointer(start: results.list, count: results.count).enumerated().map {
            index, result in
            reading.result(result, to: reading.request.pointee.of.batch.requests + index, items[index].read)
          })
      }
    }
  }

  /// The results of the requests in a batch.
  public struct Results: Sendable {
    private let results: [Result<any Sendable, SessionError>]

    fileprivate init(_ results: [Result<any Sendable, SessionError>]) {
      self.results = results
    }

    /// The number of results; a sequence may have fewer results than requests.
    public var count: Int { results.count }

    /// The result of one request; `notFound` for requests after a failure in a sequence, which were not carried out.
    public subscript<Reply>(place: Batch.Place<Reply>) -> Result<Reply, SessionError> {
      guard results.indices.contains(place.index) else {
        return .failure(
          SessionError(
            .notFound, "the request was not carried out because one before it in the sequence failed"))
      }
      return results[place.index].flatMap { reply in
        guard let reply = reply as? Reply else { return .failure(SessionError(SC_ERR_ARGUMENT)) }
        return .success(reply)
      }
    }
  }
}

extension Storage.Reading {
  func result<Reply>(
    _ result: sc_storage_result, to request: UnsafePointer<sc_storage_request>,
    _ read: Storage.Call<Reply>.Read
  ) -> Result<Reply, SessionError> {
    Result { () throws(SessionError) in
      try SessionError.check(result.status)
      guard let reply = result.reply else {
        throw SessionError(refusedWith: Int(result.code), Array(result.text.content))
      }
      return try read(Storage.Reading(request: request, reply: reply, keepers: keepers))
    }
  }
}
