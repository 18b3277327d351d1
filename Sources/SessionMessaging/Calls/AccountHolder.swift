package import SessionCore
import SessionStorage

/// The program that holds an account, as the other programs of its user see it.
package protocol AccountHolder: Sendable {
  /// Has it carry out a call. Throws what the call throws there.
  func perform(_ call: MessengerCall) async throws -> MessengerReply
  /// What happens in its memory from now on; the sequence ends with the holder.
  func news() -> AsyncStream<HolderNews>
  func close() async
}

/// What the other programs of an account cannot read in its database.
package enum HolderNews: Codable, Hashable, Sendable {
  case transfer(FileTransfer)
  case receiving(ReceivingProgress)
  case typing(SessionID, isTyping: Bool)
}

extension Messenger {
  /// News for other programs, until the messenger stops. A slow reader misses only states in between.
  package nonisolated func news() -> AsyncStream<HolderNews> {
    let (transfers, receiving, typing) = (transfers(), receivingProgress(), list.typists.changes())
    let (stream, telling) = AsyncStream.makeStream(of: HolderNews.self, bufferingPolicy: .bufferingNewest(64))
    let task = Task {
      await withTaskGroup { group in
        group.addTask { for await transfer in transfers { telling.yield(.transfer(transfer)) } }
        group.addTask { for await progress in receiving { telling.yield(.receiving(progress)) } }
        group.addTask {
          for await (person, isTyping) in typing { telling.yield(.typing(person, isTyping: isTyping)) }
        }
      }
      telling.finish()
    }
    telling.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Takes note of the news of the holder, until it is gone.
  func follow(_ holder: any AccountHolder) async {
    for await news in holder.news() {
      switch news {
      case .transfer(let transfer): files.transfers.pass(transfer)
      case .receiving(let progress): inbox.receiving.change { $0 = progress }
      case .typing(let person, let isTyping):
        let now = context.jobTime
        if list.typists.note(person, isTyping: isTyping, at: now, now: now) {
          context.database.observations.announce(.threads)
        }
      }
    }
  }
}
