import SessionBase
package import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// What programs show of an account besides its events. None of it is stored.
package enum MessengerSignal: Hashable, Sendable {
  package enum Kind: CaseIterable, Sendable {
    case typing
    case transfer
    case network
    case jobs
  }

  case typing(SessionID, isTyping: Bool)
  /// So many bytes of a file are here, or on its server. The number is that of the file in its message, from 1.
  case transfer(MessageView.ID, number: Int, done: Int64, total: Int64)
  case network(isReachable: Bool)
  /// The number of jobs that are not done, and of those that have failed.
  case jobs(waiting: Int, failed: Int)
}

extension Messenger {
  /// Signals of these kinds, from now on; the states of the network and of the jobs come at once. The sequence ends when the
  /// messenger stops. A slow reader misses the oldest.
  package nonisolated func signals(_ kinds: Set<MessengerSignal.Kind>) -> AsyncStream<MessengerSignal> {
    let (stream, telling) = AsyncStream.makeStream(
      of: MessengerSignal.self, bufferingPolicy: .bufferingNewest(256))
    // Observed before this returns, so that no change is missed.
    let (typing, transfers) = (typing(), transfers())
    let task = Task {
      await withTaskGroup { group in
        group.addTask {
          for await (person, isTyping) in typing where kinds.contains(.typing) {
            telling.yield(.typing(person, isTyping: isTyping))
          }
        }
        if kinds.contains(.transfer) {
          group.addTask { [self] in await tell(transfers, to: telling) }
        }
        if kinds.contains(.network) {
          group.addTask { [self] in await tellNetwork(to: telling) }
        }
        if kinds.contains(.jobs) {
          group.addTask { [self] in await tellJobs(to: telling) }
        }
        // That of people who are typing ends with the messenger.
        await group.next()
        group.cancelAll()
      }
      telling.finish()
    }
    telling.onTermination = { _ in task.cancel() }
    return stream
  }

  private typealias Telling = AsyncStream<MessengerSignal>.Continuation

  private nonisolated func tell(_ transfers: AsyncStream<FileTransfer>, to telling: Telling) async {
    for await transfer in transfers {
      let places = try? await context.database.read { transaction in
        try transaction.places(of: transfer.attachment)
      }
      for place in places ?? [] {
        let done = Int64(Double(place.size) * min(max(transfer.progress, 0), 1))
        telling.yield(.transfer(place.message, number: place.number, done: done, total: place.size))
      }
    }
    await Latch().wait()
  }

  private nonisolated func tellNetwork(to telling: Telling) async {
    var told: Bool?
    for await isReachable in context.environment.swarms.reachability where told != isReachable {
      told = isReachable
      telling.yield(.network(isReachable: isReachable))
    }
    await Latch().wait()
  }

  private nonisolated func tellJobs(to telling: Telling) async {
    var told: MessengerSignal?
    do {
      for try await view in runner.views(limit: 0) {
        let waiting = view.counts[.waiting, default: 0] + view.counts[.running, default: 0]
        let signal = MessengerSignal.jobs(waiting: waiting, failed: view.counts[.failed, default: 0])
        if signal != told { telling.yield(signal) }
        told = signal
      }
    } catch {
      // Jobs that cannot be read are reported by what reads them for itself.
    }
    await Latch().wait()
  }
}

extension Reading where Self: ~Copyable {
  /// The messages that have a file, with its number in each, and its size.
  fileprivate func places(
    of id: AttachmentView.ID
  ) throws -> [(message: MessageView.ID, number: Int, size: Int64)] {
    try messages(with: id.record).compactMap { message in
      let files = try attachments(of: message.id)
      guard let index = files.firstIndex(where: { $0.id == id.record }) else { return nil }
      return (MessageView.ID(message.id), index + 1, files[index].byteCount)
    }
  }
}
