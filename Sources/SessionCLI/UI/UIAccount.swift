import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionTerminal

/// An account behind the full-screen interface, as one program holds it: it tells the interface what happens, and does
/// what the interface wants.
actor UIAccount {
  let messenger: Messenger
  let screen: FullScreen
  let io: CommandIO
  /// The keys of messages that are being sent, by the number of their effect: none is sent twice.
  let sendKeys: Kept<[Int: SendKey]>
  /// The link to open; nil once it was.
  let opening: Kept<SessionLink>
  let network: @Sendable () async -> UIEvent
  /// Asks the other program that carries out the calls whether it is connected.
  let isHolderConnected: @Sendable () async -> Bool
  /// True if another program carries out the calls.
  let isElsewhere: Bool

  private var directory: Directory?
  /// The conversation that is shown.
  private var open: Conversation.ID?
  private var watch: ConversationWatch?
  private var isOld = Latch()
  private var isReachable: Bool?
  private var lookedAt: ContinuousClock.Instant?
  /// The own messages that are on their way.
  private var unsettled: Set<MessageView.ID> = []
  /// True if something was sent, which may be on its way.
  private var hasSent = false

  /// The number of messages that are fetched at once.
  private static let page = 60
  /// The least time between two readings of the list.
  private static let listPause = Duration.milliseconds(100)
  /// The least time between two looks at the connection of another program.
  private static let lookingPause = Duration.seconds(5)
  /// How long to wait at the end for messages to be stored; later they are sent with the next command.
  private static let farewell = Duration.seconds(2)

  init(
    _ messenger: Messenger, on screen: FullScreen, _ io: CommandIO, sendKeys: Kept<[Int: SendKey]>,
    opening: Kept<SessionLink>, isElsewhere: Bool,
    network: @escaping @Sendable () async -> UIEvent, isHolderConnected: @escaping @Sendable () async -> Bool
  ) {
    self.isHolderConnected = isHolderConnected
    (self.messenger, self.screen, self.io, self.sendKeys) = (messenger, screen, io, sendKeys)
    (self.isElsewhere, self.network, self.opening) = (isElsewhere, network, opening)
  }

  /// Serves the interface until it is left, or until the program that holds the account ends.
  func serve() async throws {
    let cursor = try await messenger.lastEvent()
    screen.tell(.holder(isThere: true))
    try await loadList()
    await lookAtHolder()
    try await reload()
    if let link = opening.value {
      opening.value = nil
      try await tell(link)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        for try await event in messenger.events(from: cursor) { try await take(event) }
      }
      group.addTask { [self] in await tellSignals() }
      group.addTask { [self] in
        for await transfer in messenger.transfers() {
          screen.tell(.transfer(file: transfer.attachment.rawValue, share: transfer.progress))
        }
      }
      group.addTask { [self] in try await refreshList() }
      group.addTask { [self] in
        // What takes long, such as older messages of a server, keeps nothing else waiting.
        try await withThrowingDiscardingTaskGroup { reading in
          while let read = await screen.reads.next() {
            reading.addTask { [self] in try await carryOut(read, from: screen.reads) }
          }
        }
      }
      group.addTask { [self] in
        try await EffectLanes(screen.changes).run { [self] change in
          try await carryOut(change, from: screen.changes)
        }
        // All of it was done, and nothing more comes.
        if !Task.isCancelled { throw Left() }
      }
      group.addTask { [self] in
        await screen.ended.wait()
        // What needs the network for longer is given up: nothing keeps the person here.
        if (try? await Task.sleep(for: Self.farewell)) != nil { throw Left() }
      }
      defer { group.cancelAll() }
      do { while try await group.next() != nil {} } catch is Left {}
    }
  }

  /// The person has left.
  private struct Left: Error {}

  /// Does what is left when the person has left: drafts, what was sent last, and what was not begun yet. Returns the
  /// number of changes that were given up, because they need the network for longer; they may have been made. Throws
  /// ``HolderGone`` if the program that holds the account has ended before: the next one does the rest.
  func finish() async throws -> Int {
    let (messenger, changes) = (messenger, screen.changes)
    let waits = hasSent && !isElsewhere
    // Where this task is cancelled, its waits would end at once.
    try await Task {
      _ = try await withinTime(Self.farewell) { [self] in
        try await EffectLanes(changes).run { [self] change in try await finish(change) }
        if waits { try? await messenger.waitUntilSettled() }
      }
    }.value
    return changes.unfinished
  }

  /// Does a change that is left. One that was cut off is begun again only if that does no harm.
  private func finish(_ change: EffectQueue.Entry) async throws {
    let changes = screen.changes
    guard !change.isBegun || change.effect.isRepeatable else { return changes.giveUp(change) }
    var isBegun = false
    do {
      try Task.checkCancellation()
      isBegun = true
      try await perform(change)
      changes.finish(change)
    } catch let error where error is HolderGone || Task.isCancelled {
      changes.putBack(change, isBegun: isBegun)
      throw error
    } catch {
      changes.finish(change)
    }
  }

  /// Does something, or says why it was not done. What the end of a program interrupts is left to the next one.
  private func carryOut(_ entry: EffectQueue.Entry, from queue: EffectQueue) async throws {
    var isBegun = false
    do {
      try Task.checkCancellation()
      isBegun = true
      try await perform(entry)
      if case .send = entry.effect {
        sendKeys.value?[entry.number] = nil
        hasSent = true
      }
      queue.finish(entry)
    } catch  where error is HolderGone || error is CancellationError || Task.isCancelled {
      queue.putBack(entry, isBegun: isBegun)
      throw error
    } catch {
      queue.finish(entry)
      sendKeys.value?[entry.number] = nil
      screen.tell(.notice(CommandFailure(error).message, isFailure: true))
      screen.tell(.failed(entry.effect))
    }
  }

  // MARK: - News

  private func take(_ event: MessengerEvent) async throws {
    isOld.open()
    noteSending(event)
    if event.kind == .gap { return try await reload() }
    guard let open, event.conversation == open || event.kind == .attachmentChanged else { return }
    guard let id = event.message else {
      if event.kind == .attachmentChanged { try await reload() }
      return
    }
    guard event.kind != .messageDeleted, let message = try await messenger.message(id) else {
      return screen.tell(.removed(conversation: open.description, id.rawValue))
    }
    guard message.conversation == open else { return }
    screen.tell(.changed(conversation: open.description, ShownMessage(message, try await names())))
  }

  private func noteSending(_ event: MessengerEvent) {
    guard let id = event.message else { return }
    let before = unsettled.count
    switch event.kind {
    case .messageQueued: unsettled.insert(id)
    case .messageSent, .messageFailed, .messageDeleted: unsettled.remove(id)
    default: break
    }
    if unsettled.count != before { tellConnection() }
  }

  /// Looks whether the other program is connected, when something has happened and not too often.
  private func lookAtHolder() async {
    guard isElsewhere, lookedAt.map({ $0.duration(to: .now) > Self.lookingPause }) ?? true else { return }
    lookedAt = .now
    isReachable = await isHolderConnected()
    tellConnection()
  }

  private func tellConnection() {
    guard let isReachable else { return }
    screen.tell(.connection(UIConnection(isReachable: isReachable, waiting: unsettled.count)))
  }

  private func tellSignals() async {
    // What this program knows of the network is nothing where another one is connected to it.
    let kinds: Set<MessengerSignal.Kind> = isElsewhere ? [.typing] : [.typing, .network]
    for await signal in messenger.signals(kinds) {
      switch signal {
      case .typing(let person, let isTyping):
        screen.tell(.typing(conversation: person.description, isTyping))
      case .network(let isReachable):
        self.isReachable = isReachable
        tellConnection()
      case .jobs, .transfer: break
      }
    }
  }

  private func refreshList() async throws {
    while !Task.isCancelled {
      await isOld.wait()
      isOld = Latch()
      try await loadList()
      await lookAtHolder()
      try await Task.sleep(for: Self.listPause)
    }
  }

  // MARK: - Reading

  private func names() async throws -> Directory {
    if let directory { return directory }
    let made = try await Directory(of: messenger, showing: [open].compactMap(\.self))
    directory = made
    return made
  }

  private func loadList() async throws {
    let (conversations, requests) = (try await messenger.conversations(), try await messenger.requests())
    let (groups, rooms) = (try await messenger.groups(), try await messenger.rooms())
    let known = Dictionary(groups.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let joined = Dictionary(rooms.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    // The last messages of groups name their authors.
    let directory = try await Directory(of: messenger, showing: (conversations + requests).map(\.id))
    self.directory = directory
    func listed(_ view: ConversationView) -> ListedConversation {
      ListedConversation(view, directory, group: known[view.id], room: joined[view.id])
    }
    screen.tell(.conversations(conversations.map(listed), requests: requests.map(listed)))
  }

  /// Reads the messages around those that are looked at again.
  private func reload() async throws {
    guard let place = await screen.place, let id = Conversation.ID(place.conversation) else { return }
    guard let message = place.message,
      let view = try await messenger.message(.init(rawValue: message)), view.conversation == id
    else { return try await load(id, before: nil) }
    _ = follow(id)
    let (messages, hasOlder, hasNewer) = try await messages(around: view, in: id)
    screen.tell(
      .around(conversation: id.description, messages, hasOlder: hasOlder, hasNewer: hasNewer))
  }

  /// Follows a conversation; true if it is another one.
  private func follow(_ id: Conversation.ID) -> Bool {
    guard open != id else { return false }
    open = id
    // A group is polled often while somebody looks at it.
    watch = messenger.watch(id)
    return true
  }

  func load(_ id: Conversation.ID, before: Int64?) async throws {
    let isOpened = follow(id)
    var messages: [MessageView] = []
    if try await messenger.conversation(id) != nil {
      messages = try await messenger.messages(
        in: id, before: before.map { MessageView.ID(rawValue: $0) }, limit: Self.page)
    }
    var hasOlder = messages.count == Self.page
    if !hasOlder, case .room = id {
      // The server has what is not here.
      hasOlder = true
      if let before, let history = try? await messenger.fetchOlder(in: id) {
        hasOlder = !history.isComplete
        messages = try await messenger.messages(in: id, before: .init(rawValue: before), limit: Self.page)
      }
    }
    let directory = try await names()
    screen.tell(
      .page(
        conversation: id.description, before: before, messages.reversed().map { ShownMessage($0, directory) },
        hasOlder: hasOlder))
    if isOpened { try await tellDraft(of: id, directory) }
  }

  private func tellDraft(of id: Conversation.ID, _ directory: Directory) async throws {
    guard try await messenger.conversation(id) != nil, let draft = try await messenger.draft(of: id) else {
      return
    }
    var answered: MessageView?
    if let message = draft.answering { answered = try await messenger.message(message) }
    screen.tell(
      .draft(
        conversation: id.description, answering: answered.map { ShownMessage($0, directory) },
        note: draft.noteOfFiles))
  }

  func jump(in id: Conversation.ID, to message: Int64) async throws {
    let target = MessageView.ID(rawValue: message)
    guard let view = try await messenger.message(target), view.conversation == id else {
      throw CommandFailure.data("the message is gone")
    }
    let (messages, hasOlder, hasNewer) = try await messages(around: view, in: id)
    screen.tell(
      .place(
        conversation: id.description, messages, hasOlder: hasOlder, hasNewer: hasNewer, at: message))
  }

  /// A message, with a page before and one behind it.
  private func messages(
    around view: MessageView, in id: Conversation.ID
  ) async throws -> ([ShownMessage], hasOlder: Bool, hasNewer: Bool) {
    let newer = try await messenger.messages(in: id, after: view.id, limit: Self.page)
    let older = try await messenger.messages(in: id, before: view.id, limit: Self.page)
    let directory = try await names()
    return (
      (older.reversed() + [view] + newer).map { ShownMessage($0, directory) },
      older.count == Self.page, newer.count == Self.page
    )
  }

  func search(_ text: String, in place: String?) async throws {
    let page = try await messenger.search(text, in: place.flatMap { Conversation.ID($0) }, limit: 50)
    let directory = try await Directory(of: messenger, showing: page.messages.map(\.conversation))
    let hits = page.messages.map { message in
      SearchHit(
        conversation: message.conversation.description, name: directory.name(message.conversation),
        message: ShownMessage(message, directory))
    }
    screen.tell(.found(query: text, in: place, hits))
  }

  /// Forgets names that may have changed.
  func forgetNames() { directory = nil }
}
