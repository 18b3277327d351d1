import SessionService

/// The memory that answers take while they are made; once made, those who send them are charged for them. A request whose
/// answer may find no room waits, so that many large ones at a time take no more than this.
final class AnswerMemory: Sendable {
  /// The part of the memory of all requests.
  private static let part = 4

  let bytes: Int
  private let budget: MemoryBudget

  init(of memory: Int) {
    bytes = memory / Self.part
    budget = MemoryBudget(bytes)
  }

  /// Makes an answer of at most so many bytes. Throws 503 if the task is cancelled before there is room.
  func making<R>(
    _ most: Int, _ work: () async throws(CommunityRefusal) -> R
  ) async throws(CommunityRefusal) -> R {
    let result: Result<R, CommunityRefusal> = await budget.with(upTo: most) { share in
      do throws(CancellationError) { try await share.take(most) } catch {
        return .failure(CommunityRefusal(ServerRefusal(503)))
      }
      do throws(CommunityRefusal) { return .success(try await work()) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
