import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

extension OwnerInbox {
  func take(
    _ messages: [SwarmMessage], from node: String, isRepeated: Bool, _ result: inout SwarmPollResult
  ) async throws {
    var isLeft = messages.count
    // After a failure the rest will be received again.
    defer { receiving.change { [isLeft] in $0.given -= isLeft } }
    guard !messages.isEmpty else { return }
    let (origin, seen) = (try await origin(), try await seen(among: messages))
    let starts = Array(stride(from: 0, to: messages.count, by: Self.pieceSize))
    let pieces = starts.map { Array(messages[$0..<min($0 + Self.pieceSize, messages.count)]) }
    try await withThrowingTaskGroup(of: [Arrival].self) { group in
      group.addTask { [self] in try await open(pieces[0], without: seen, from: origin) }
      // Messages about one that may be in the next piece, and the messages that they came with: the cursor stays before
      // them.
      var (waiting, unpassed): ([Arrival], [SwarmMessage]) = ([], [])
      for (number, piece) in pieces.enumerated() {
        guard let opened = try await group.next() else { return }
        let isLast = number + 1 == pieces.count
        // The next piece is opened while this one is stored.
        if !isLast {
          group.addTask { [self] in try await open(pieces[number + 1], without: seen, from: origin) }
        }
        try Task.checkCancellation()
        let mayWait = !isLast && unpassed.isEmpty
        let arrivals = waiting.isEmpty ? opened : (waiting + opened).asSent()
        unpassed += opened.withoutJunk(piece)
        let (before, left, passed) = (result, isLeft - piece.count, isRepeated ? [] : unpassed)
        (result, waiting) = try await context.queue.run { [self] in
          try keep(arrivals, mayWait: mayWait, of: passed, before: left, from: node, adding: before)
        }
        if waiting.isEmpty { unpassed = [] }
        isLeft = left
        receiving.change { $0.taken += piece.count }
      }
    }
  }

  /// Processes a message that was received before, and not stored.
  func takeAgain(_ message: SwarmMessage) async throws {
    var result = SwarmPollResult()
    receiving.change { $0.given += 1 }
    try await take([message], from: "", isRepeated: true, &result)
  }

  /// The hashes of the messages that were processed before. Neighbours in their order are on the same pages of the
  /// database.
  private func seen(among messages: [SwarmMessage]) async throws -> Set<String> {
    try await context.database.read { [swarm] transaction in
      Set(try messages.map(\.hash).sorted().filter { try transaction.hasSeen($0, in: swarm) })
    }
  }

  /// Opens the messages of a piece, in the order in which to process them.
  private func open(
    _ piece: [SwarmMessage], without seen: Set<String>, from origin: MessageOrigin
  ) async throws -> [Arrival] {
    try Task.checkCancellation()
    let new = properlyNamed(piece.filter { !seen.contains($0.hash) }, in: plan.messages)
    return await opened(new, from: origin).asSent()
  }

  /// Returns the messages whose hash matches their content. A node that returned one under another message's hash could
  /// hide that message, or make us delete it.
  func properlyNamed(_ messages: [SwarmMessage], in namespace: StorageNamespace) -> [SwarmMessage] {
    let proper = messages.filter { message in
      SwarmItem(message.data, in: namespace, for: .zero).hash(in: plan.owner) == message.hash
    }
    if proper.count < messages.count {
      context.environment.log(.warn, .poller, "wrong-hashes", .count(messages.count - proper.count))
    }
    return proper
  }

  /// Opens messages on several threads, and returns them in order.
  private func opened(_ messages: [SwarmMessage], from origin: MessageOrigin) async -> [Arrival] {
    let size = 25
    return await withTaskGroup(of: (Int, [Arrival]).self) { [account = context.account] group in
      for start in stride(from: 0, to: messages.count, by: size) {
        group.addTask {
          let part = messages[start..<min(start + size, messages.count)]
          return (start, part.map { Arrival($0, from: origin, for: account) })
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
  }

  /// The origin of messages, with the current keys.
  private func origin() async throws -> MessageOrigin {
    guard plan.isGroup else { return .ownSwarm }
    return try await context.queue.run { [author, plan] in
      .group(plan.owner, keys: try author.openingKeys(of: plan.owner))
    }
  }

  /// Opens the messages of the ratchet protocol, in their order, and takes that back: their contents have to be known before
  /// the transaction that stores it, and with it the steps of the sessions.
  private func rehearsed(_ arrivals: [Arrival]) throws -> [Arrival] {
    guard arrivals.contains(where: { $0.sealed != nil }) else { return arrivals }
    let now = try context.time()
    return try context.database.write(.relaxed) { [context, ratchet] transaction in
      defer { transaction.abandon() }
      let opener = RatchetOpener(ratchet, at: now)
      var result = arrivals
      // Those that do not continue their session are tried again behind all others.
      var (left, broken) = (ArraySlice(arrivals.indices), [Int]())
      var isLastTry = false
      while !left.isEmpty {
        let index = left.removeFirst()
        if let sealed = arrivals[index].sealed {
          switch try opener.open(sealed, in: transaction) {
          case .content(let received, let isHeld):
            result[index] = arrivals[index].opened(received, isFromHeldDevice: isHeld, for: context.account)
          case .broken: if !isLastTry { broken.append(index) }
          case .control, .duplicate, .unopened: break
          }
        }
        if left.isEmpty { (left, broken, isLastTry) = (ArraySlice(broken), [], true) }
      }
      return result
    }.asSent()
  }

  private typealias Kept = (result: SwarmPollResult, waiting: [Arrival])

  /// Stores a piece, which comes before a number of other messages, in one transaction. Messages of a group change no
  /// config; a message about a person updates their entry in the configs, if there is one. Returns the messages that wait
  /// for the next piece, if they may: then the cursor does not move.
  private func keep(
    _ arrivals: [Arrival], mayWait: Bool, of piece: [SwarmMessage], before others: Int, from node: String,
    adding result: SwarmPollResult
  ) throws -> Kept {
    let arrivals = try rehearsed(arrivals)
    func keep(carefully isCareful: Bool) throws -> Kept {
      try self.keep(
        arrivals, mayWait: mayWait, isCareful: isCareful, of: piece, before: others, from: node,
        adding: result)
    }
    do { return try keep(carefully: false) } catch {
      // Hardly ever a message cannot be stored.
      guard MessageReceiver.isOfMessage(error) else { throw error }
      return try keep(carefully: true)
    }
  }

  private func keep(
    _ arrivals: [Arrival], mayWait: Bool, isCareful: Bool, of piece: [SwarmMessage], before others: Int,
    from node: String, adding result: SwarmPollResult
  ) throws -> Kept {
    let write = {
      [self]
      (
        deletions: Deletions, invitations: GroupInvitations, transaction: borrowing WriteTransaction,
        now: MessageTime
      ) in
      var receiver = MessageReceiver(
        source: plan.isGroup ? .group(plan.owner) : .account, people: SourcePeople(own: [context.own]),
        context: context, typists: typists, now: now, deletions: deletions,
        invitations: invitations)
      receiver.mayWait = mayWait
      receiver.isCareful = isCareful
      if !plan.isGroup { receiver.opener = RatchetOpener(ratchet, at: now) }
      return try keep(
        arrivals, of: piece, before: others, from: node, with: receiver, adding: result, in: transaction)
    }
    guard plan.isGroup else {
      return try author.editNow { configs, now in
        let deletions = try self.deletions(outdating: arrivals, in: configs)
        let merges = try BlindedMerges(provenBy: arrivals, into: &configs, context, at: now)
        try ArrivalFacts(arrivals, own: context.own, now: now).apply(to: &configs, deletions)
        let invitations = try GroupInvitations(among: arrivals, into: &configs, context, at: now)
        return (deletions, invitations, merges)
      } writing: { plan, transaction, now in
        try plan.2.apply(in: transaction, at: now)
        // They gave way to newer ones, and may come again.
        for group in plan.1.evicted { try transaction.deleteTombstone(of: group.address) }
        return try write(plan.0, plan.1, transaction, now)
      }
    }
    try context.requireWorking()
    // A poll that ends after we left brings nothing more: who comes back begins anew.
    guard try author.credentials(for: plan.owner) != nil else { throw Self.notInGroup }
    let now = try context.time()
    let deletions = try author.configs.read { configs in
      try self.deletions(outdating: arrivals, in: configs)
    }
    return try context.database.write { transaction in
      try write(deletions, GroupInvitations(), transaction, now)
    }
  }

  private func keep(
    _ arrivals: [Arrival], of piece: [SwarmMessage], before others: Int, from node: String,
    with receiver: MessageReceiver, adding result: SwarmPollResult, in transaction: borrowing WriteTransaction
  ) throws -> Kept {
    var (result, waiting) = (result, [Arrival]())
    result.hasNew = result.hasNew || !arrivals.isEmpty
    var receiver = receiver
    receiver.isLastTry = false
    var (left, broken) = (arrivals[...], [Arrival]())
    while !left.isEmpty {
      let arrival = left.removeFirst()
      let verdict = try receiver.receive(arrival, in: transaction)
      if verdict == .waits { waiting.append(arrival) }
      if verdict == .broken { broken.append(arrival) }
      if verdict == .kept, !result.hasProven {
        result.hasProven = try plan.isGroup || transaction.isFromSomebodyKnown(arrival, own: context.own)
      }
      // What these need may have come after them.
      if left.isEmpty { (left, broken, receiver.isLastTry) = (broken[...], [], true) }
    }
    if waiting.isEmpty {
      try remember(
        piece, before: others, from: node, in: plan.messages, &result, transaction, at: receiver.now)
    }
    if plan.isGroup { try noteUnopened(arrivals, in: transaction, at: receiver.now) }
    return (result, waiting)
  }

  private func deletions(outdating arrivals: [Arrival], in configs: borrowing Configs) throws -> Deletions {
    let conversations = Set(arrivals.compactMap(\.conversation)).subtracting([.person(context.own)])
    return try context.database.read { transaction in
      try Deletions(of: conversations, in: configs, transaction)
    }
  }

  /// Records that messages wait for a key that we will receive. Messages stored before we joined do not count:
  /// without the history, no key will open them.
  private func noteUnopened(
    _ arrivals: [Arrival], in transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    let waiting = arrivals.filter(\.waitsForKey)
    guard !waiting.isEmpty, let thread = try transaction.thread(at: swarm),
      var group = try transaction.group(thread.id), !group.hasUnopened
    else { return }
    let joinedAt = group.joinedAt
    guard now.stored - joinedAt < Self.longestJoining || waiting.contains(where: { $0.storedAt >= joinedAt })
    else { return }
    group.hasUnopened = true
    try transaction.put(group)
  }
}

extension [Arrival] {
  /// Of unreadable messages of a piece, which anyone can create, only the last one is remembered, as the cursor.
  fileprivate func withoutJunk(_ piece: [SwarmMessage]) -> [SwarmMessage] {
    let junk = Set(lazy.filter { $0.received == nil && $0.sealed == nil }.map(\.hash))
    return piece.filter { !junk.contains($0.hash) || $0.hash == piece.last?.hash }
  }
}

extension Reading where Self: ~Copyable {
  /// True for a visible message from ourselves or an accepted contact: only they can create one.
  fileprivate func isFromSomebodyKnown(_ arrival: Arrival, own: SessionID) throws -> Bool {
    guard let received = arrival.received, case .visible = received.message.content else { return false }
    return try received.sender == own || contact(received.sender.address)?.isApproved == true
  }
}
