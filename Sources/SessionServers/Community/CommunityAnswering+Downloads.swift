import SessionBase
import SessionHTTP
import SessionStorage

extension CommunityAnswering {
  /// The answer with the content of its file, if that is in rows.
  func withContent(_ answer: CommunityAnswer, for signer: Signer) async throws -> CommunityAnswer {
    guard case .rows(let file) = answer.body else { return answer }
    var whole = answer
    whole.body = .open(try await copy(of: file, for: signer.copies))
    return whole
  }

  /// Copies the content of a file into one without a name, which can be sent. Each piece is read by itself, so that
  /// downloads do not keep the connections of the database from other requests.
  private func copy(of file: CommunityFile, for clients: [CopyRoom.Client]) async throws -> HTTPFile {
    let (shelves, copying) = (rules.shelves, copying)
    guard let room = shelves.copies.take(file.size, for: clients) else {
      throw CommunityRefusal.tooManyDownloads
    }
    do {
      let copy = try await copying.run { try shelves.shelves.receive() }
      var (number, size) = (0, 0)
      while size < file.size {
        let next = number
        guard let chunk = try await store.read({ try $0.chunk(next, of: file.id) }), !chunk.isEmpty else {
          throw CommunityRefusal.notFound
        }
        try await copying.run { try copy.append(chunk) }
        (number, size) = (number + 1, size + chunk.count)
      }
      let opened = await copying.run { copy.opened(holding: room) }
      guard size == file.size, let opened else { throw CommunityRefusal.notFound }
      return opened
    } catch FileStoreFailure.full {
      throw CommunityRefusal.tooManyDownloads
    }
  }
}

extension CommunityAnswer {
  /// The answer with the content of its file, for a batch, whose answers are in memory.
  func withContent(from transaction: borrowing ReadTransaction) throws -> CommunityAnswer {
    guard case .rows(let file) = body else { return self }
    // Larger ones do not fit as base64.
    guard file.size <= BatchRequest.maxAnswers / 4 * 3 else { return .none(413) }
    guard let content = try transaction.content(of: file) else { throw CommunityRefusal.notFound }
    var whole = self
    whole.body = .bytes(content)
    return whole
  }
}
