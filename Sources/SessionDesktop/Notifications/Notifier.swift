package import SessionBase

/// Shows what happens in the accounts of a daemon, and does what the person chooses in a notification.
package actor Notifier {
  /// What it needs of the program around it.
  package struct Setting: Sendable {
    /// Calls a method of the daemon.
    package var call: @Sendable (_ method: String, _ params: JSONValue) async throws -> JSONValue
    /// A text of somebody else on one line, without anything that could do more than be read.
    package var clean: @Sendable (String) -> String
    /// Why a call failed, for people, without a full stop.
    package var reason: @Sendable (any Error) -> String
    package var quiet: @Sendable () -> QuietTime
    /// Opens a conversation, or else the account, in front of the person.
    package var open: @Sendable (_ account: String?, _ conversation: String?, _ token: String?) async -> Void
    /// The address of the bus of the system; nil for none.
    package var systemBus: String?
    /// The file that keeps the numbers of what is shown; nil for none.
    package var file: String?
    /// Differs from one run of the program to the next.
    package var instance: String
    /// Milliseconds since 1970.
    package var wall: @Sendable () -> Int64
    package var pace = NoticeQueue.Pace()
    /// False if the accounts are not those of this machine's program, so that `open` would not find them.
    package var canOpen = true

    package init(
      call: @escaping @Sendable (String, JSONValue) async throws -> JSONValue,
      clean: @escaping @Sendable (String) -> String, reason: @escaping @Sendable (any Error) -> String,
      quiet: @escaping @Sendable () -> QuietTime,
      open: @escaping @Sendable (String?, String?, String?) async -> Void,
      systemBus: String?, file: String?, instance: String,
      wall: @escaping @Sendable () -> Int64 = { Int64(MachineClock.wallMilliseconds) }
    ) {
      self.call = call
      self.clean = clean
      self.reason = reason
      self.quiet = quiet
      self.open = open
      self.systemBus = systemBus
      self.file = file
      self.instance = instance
      self.wall = wall
    }
  }

  /// What it reacts to.
  package enum Input: Sendable {
    /// A notification of the daemon: its method and parameters.
    case told(String, JSONValue)
    case happened(NotificationServer.Happening)
    /// Something is due.
    case due
  }

  /// The name of its reader.
  package static let reader = "notify"
  /// The kinds of events that it wants.
  package static let kinds = [
    "messageReceived", "messageChanged", "messageSent", "messageFailed", "messageDeleted",
    "conversationChanged",
    "conversationDeleted", "requestReceived",
  ]
  /// How many events wait until they are acknowledged together.
  private static let maxUnacknowledged = 50
  /// How many wait at most because they are not shown yet: the daemon tells no more than a window of them.
  private static let maxUnshown = 100
  /// How soon it tries again to start a program that shows notifications.
  private static let activationDelay: Int64 = 5000
  private static let longestActivationDelay: Int64 = 300_000
  /// How old something may be when it is heard of, and still be shown by itself.
  private static let lateness: Int64 = 600_000
  /// How soon it looks again whether the person wants to be disturbed.
  private static let quietInterval: Int64 = 5000
  /// The most bytes of an answer, and of a draft that keeps it.
  package static let maxReply = 32_768
  /// How much of what the person chose is under way at most. People click less often.
  private static let maxActs = 32

  private let setting: Setting
  private let server: NotificationServer
  private let bus: Bus
  private let lock: ScreenLock
  private let inputs: AsyncStream<Input>
  private let telling: AsyncStream<Input>.Continuation
  private var queue: NoticeQueue
  private var shown: ShownBubbles
  private var states: [String: String] = [:]
  /// What was last set of each account.
  private var lastChoices: [String: NotificationChoices] = [:]
  /// The cursors of the events that were heard, in order.
  private var unacknowledged: [String: [Int64]] = [:]
  private var nextActivation: Int64?
  private var activationDelay = Notifier.activationDelay
  private var alarm: Task<Void, Never>?
  private var replies = 0
  /// What the person chose, under way.
  private var acts: [Int: Task<Void, Never>] = [:]
  private var lastAct = 0

  package init(_ setting: Setting, on bus: Bus) {
    let (inputs, telling) = AsyncStream.makeStream(of: Input.self)
    self.setting = setting
    self.bus = bus
    lock = ScreenLock(on: bus, systemAddress: setting.systemBus)
    (self.inputs, self.telling) = (inputs, telling)
    server = NotificationServer(on: bus) { telling.yield(.happened($0)) }
    queue = NoticeQueue(setting.pace)
    shown = ShownBubbles(at: setting.file)
  }

  /// Takes a notification of the daemon.
  package nonisolated func hear(_ method: String, _ params: JSONValue) {
    telling.yield(.told(method, params))
  }

  /// Begins to listen to the program that shows notifications. Blocks a thread of its own meanwhile.
  package func start() async throws {
    let server = server
    try await WorkerQueue("notifier").run { try server.start() }
    await meetServer()
  }

  /// True if there is a program that shows notifications.
  package var hasServer: Bool { server.owner != nil }

  /// Returns when there is a program that shows notifications, or the task is cancelled.
  package func waitForServer() async {
    guard server.owner == nil else { return }
    setAlarm()
    for await input in inputs {
      await handle(input)
      if server.owner != nil { return }
      setAlarm()
    }
  }

  /// Works until the task is cancelled.
  package func run() async {
    for await input in inputs {
      await handle(input)
      setAlarm()
    }
    alarm?.cancel()
    for task in acts.values { task.cancel() }
  }

  private func handle(_ input: Input) async {
    switch input {
    case .told(let method, let params): await take(method, params)
    case .happened(let happening): await take(happening)
    case .due: await acknowledge()
    }
    await findServer()
    await flush()
  }

  /// Has the bus start a program that shows notifications if there is none, again and again, though seldom.
  private func findServer() async {
    guard server.owner == nil else {
      activationDelay = Self.activationDelay
      return
    }
    guard nextActivation.map({ $0 <= now }) ?? true else { return }
    await server.activate()
    nextActivation = now + activationDelay
    activationDelay = min(activationDelay * 2, Self.longestActivationDelay)
  }

  // MARK: - Time

  private var now: Int64 { Int64(MachineClock.nanoseconds / 1_000_000) }

  private var nextDue: Int64? {
    // Without a server nothing can be shown.
    guard server.owner != nil else { return nextActivation ?? now + Self.activationDelay }
    let held = queue.isHolding ? now + Self.quietInterval : nil
    let canAcknowledge = unacknowledged.keys.contains { handled(of: $0) != nil }
    return [queue.next, held, canAcknowledge ? now + 1000 : nil].compactMap(\.self).min()
  }

  private func setAlarm() {
    alarm?.cancel()
    alarm = nil
    guard let due = nextDue else { return }
    let delay = Duration.milliseconds(max(due - now, 1))
    alarm = Task { [telling] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      telling.yield(.due)
    }
  }

  // MARK: - The daemon

  private func take(_ method: String, _ params: JSONValue) async {
    guard let account = params["account"]?.string else { return }
    switch method {
    case "event":
      guard let event = params["event"] else { return }
      await take(event, of: account)
      if let cursor = event["cursor"]?.integer {
        unacknowledged[account, default: []].append(cursor)
      }
      if unacknowledged[account]?.count ?? 0 >= Self.maxUnacknowledged { await acknowledge() }
    case "signal" where params["kind"] == "account":
      if let state = params["state"]?.string { await take(state: state, of: account) }
    default: break
    }
  }

  /// The last event of an account that need not come again if the program ends; nil if there is none.
  private func handled(of account: String) -> Int64? {
    guard server.owner != nil, let cursors = unacknowledged[account] else { return nil }
    guard cursors.count < Self.maxUnshown, let waiting = queue.oldest(of: account) else {
      return cursors.last
    }
    return cursors.last { $0 < waiting }
  }

  /// What cannot be acknowledged now comes again.
  private func acknowledge() async {
    for account in unacknowledged.keys.sorted() {
      guard let last = handled(of: account) else { continue }
      let rest = unacknowledged[account]?.filter { $0 > last } ?? []
      unacknowledged[account] = rest.isEmpty ? nil : rest
      _ = try? await setting.call(
        "events.ack",
        [
          "account": .string(account), "reader": .string(Self.reader), "cursor": .integer(last),
        ])
    }
  }

  private func take(_ event: JSONValue, of account: String) async {
    let message = event["message"]
    let chat = event["chat"]?.string ?? ""
    let place = NoticePlace(account, .conversation(chat))
    let number = event["message_id"]?.integer
    switch event["event"]?.string {
    case "messageReceived":
      guard let message, message["outgoing"] == false, message["read"] == false else { return }
      var notice = Notice(message["kind"] == "missed-call" ? .missedCall : .message, at: place)
      guard message["kind"] == "message" || message["kind"] == "missed-call" else { return }
      notice.conversation = chat
      notice.message = message["id"]?.integer
      notice.author = name(message["from_name"]?.string ?? "")
      notice.text = text(of: message)
      notice.mentionsUs = message["mentions_me"] == true
      // The timer of a message that is not read has not started yet.
      notice.hasTimer = message["timer"] != nil || message["disappears_at"] != nil
      notice.cursor = event["cursor"]?.integer
      let at = min(event["at"]?.integer ?? .max, message["sent_at"]?.integer ?? .max)
      notice.isLate = setting.wall() - at > Self.lateness
      queue.take(notice, isRoom: Self.isRoom(chat), at: now)
    case "requestReceived":
      let isGroup = chat.hasPrefix("03")
      var notice = Notice(
        isGroup ? .invitation : .request, at: isGroup ? place : NoticePlace(account, .requests))
      notice.conversation = chat
      notice.cursor = event["cursor"]?.integer
      notice.isLate = setting.wall() - (event["at"]?.integer ?? .max) > Self.lateness
      queue.take(notice, isRoom: false, at: now)
    case "messageFailed":
      guard let message, let number else { return }
      var notice = Notice(.failure, at: NoticePlace(account, .failure(number)))
      notice.conversation = chat
      notice.message = number
      notice.cursor = event["cursor"]?.integer
      notice.text = name(message["failure"]?.string ?? "it was refused")
      queue.take(notice, isRoom: false, at: now)
    case "messageChanged":
      guard let message, let number, message["outgoing"] == false, message["kind"] == "message" else {
        return
      }
      change(number, to: text(of: message), at: place)
    case "messageSent":
      if let number { await end(NoticePlace(account, .failure(number))) }
    case "messageDeleted":
      guard let number else { return }
      queue.forget(message: number, at: place)
      // Which message one of an earlier run shows is not known.
      if let entry = shown[place], entry.notice.map({ $0.message == number }) ?? true { await close(place) }
      await end(NoticePlace(account, .failure(number)))
    case "conversationChanged": await look(at: place, chat)
    case "conversationDeleted":
      await end(place)
      await lookAtRequests(of: account, chat)
    default: break
    }
  }

  /// Takes another text of a message that waits or is shown.
  private func change(_ message: Int64, to text: String, at place: NoticePlace) {
    queue.change(message: message, to: text, at: place)
    guard shown[place]?.notice?.message == message else { return }
    queue.take(NoticeQueue.Edit(place: place, message: message, text: text), at: now)
  }

  /// Closes what a conversation shows, if nothing of it is new any more.
  private func look(at place: NoticePlace, _ chat: String) async {
    await lookAtRequests(of: place.account, chat)
    guard shown[place] != nil || queue.isWaiting(place) else { return }
    guard let facts = await conversation(chat, of: place.account) else { return }
    let isDone = shown[place]?.notice?.category == .invitation ? !facts.isRequest : facts.unread == 0
    if isDone, !facts.isRequest { await end(place) }
  }

  /// Closes the notification of requests when the only one is answered.
  private func lookAtRequests(of account: String, _ chat: String) async {
    let place = NoticePlace(account, .requests)
    guard let entry = shown[place], entry.count == 1, entry.notice?.conversation == chat else { return }
    if await conversation(chat, of: account)?.isRequest != true { await end(place) }
  }

  private func take(state: String, of account: String) async {
    let old = states.updateValue(state, forKey: account)
    let place = NoticePlace(account, .account)
    // A person who has just locked it knows.
    if state == "locked", old == nil || old == "opening" {
      queue.take(Notice(.locked, at: place), isRoom: false, at: now)
    } else if state != "locked" {
      await end(place)
    }
  }

  /// True for the address of a room of a community: other conversations are ids.
  private static func isRoom(_ chat: String) -> Bool {
    chat.utf8.count != 66 || !chat.utf8.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) }
  }

  // MARK: - Texts

  private func name(_ text: String) -> String { setting.clean(String(text.prefix(NoticeText.maxTitle * 2))) }

  private func text(of message: JSONValue) -> String {
    if let body = message["body"]?.string, !body.isEmpty {
      return setting.clean(String(body.unicodeScalars.prefix(NoticeText.maxBody * 8)))
    }
    guard case .array(let files)? = message["attachments"], let first = files.first else { return "" }
    let more = files.count > 1 ? " and \(files.count - 1) more" : ""
    switch first["kind"]?.string {
    case "image": return "photo" + more
    case "voice-message": return "voice message" + more
    default:
      return ["file", first["name"]?.string.map { name($0) }].compactMap(\.self).joined(separator: " ") + more
    }
  }

  // MARK: - Showing

  private func flush() async {
    // Without a server, what is new waits for one.
    guard server.owner != nil, queue.isHolding || queue.next.map({ $0 <= now }) ?? false else { return }
    let batches = queue.batches(at: now)
    let isQuiet = setting.quiet().contains(setting.wall())
    var isLocked: Bool?
    for batch in batches {
      let batch = await answerable(batch)
      guard let newest = batch.notices.last else { continue }
      let choices = await choices(of: batch.place.account)
      guard choices.areOn, let facts = await facts(about: newest),
        let admitted = batch.admitted(by: facts, at: setting.wall()),
        let order = queue.admit(admitted, isQuiet: isQuiet && newest.category != .locked, at: now)
      else { continue }
      guard case .show(let notice, let count, let hasSound) = order else { continue }
      if isLocked == nil { isLocked = await lock.isLocked() }
      let isShown = await show(
        notice, count, hasSound && choices.hasSound, facts, choices, isLocked: isLocked ?? true)
      if !isShown, server.owner == nil { queue.giveBack(admitted, at: now) }
    }
    // The text that is shown stays while the person does not want to be disturbed.
    for edit in queue.edits(at: now) where !isQuiet { await show(edit) }
    for case .summary(let account, let messages, let conversations) in queue.summaries(
      isQuiet: isQuiet, at: now)
    {
      let choices = await choices(of: account)
      guard choices.areOn, server.owner != nil else { continue }
      var bubble = Bubble(NoticeText(summaryOf: messages, in: conversations))
      (bubble.urgency, bubble.isTransient, bubble.hasSound) = (.low, true, false)
      if choices.hasActions { bubble.actions = [.open] }
      await put(bubble, nil, count: 1, at: NoticePlace(account, .summary))
    }
  }

  /// Shows another text of a message whose text is shown, without a sound.
  private func show(_ edit: NoticeQueue.Edit) async {
    guard let entry = shown[edit.place], var notice = entry.notice, notice.message == edit.message,
      notice.text != edit.text
    else { return }
    let choices = await choices(of: edit.place.account)
    guard choices.areOn, let facts = await facts(about: notice), facts.admits(notice, at: setting.wall())
    else { return }
    let isLocked = await lock.isLocked()
    // Otherwise nothing would change but that the notification comes again.
    guard choices.preview(of: notice, isLocked: isLocked) == .message else { return }
    notice.text = edit.text
    await show(notice, entry.count, false, facts, choices, isLocked: isLocked)
  }

  /// A batch of requests without those that were answered meanwhile.
  private func answerable(_ batch: NoticeQueue.Batch) async -> NoticeQueue.Batch {
    guard batch.place.subject == .requests else { return batch }
    var rest = batch
    rest.notices = []
    for notice in batch.notices {
      guard let facts = await facts(about: notice), facts.admits(notice, at: setting.wall()) else { continue }
      rest.notices.append(notice)
    }
    return rest
  }

  /// False if it could not be shown.
  @discardableResult
  private func show(
    _ notice: Notice, _ count: Int, _ hasSound: Bool, _ facts: NoticeConversation,
    _ choices: NotificationChoices, isLocked: Bool
  ) async -> Bool {
    let preview = choices.preview(of: notice, isLocked: isLocked)
    var bubble = Bubble(NoticeText(of: notice, count: count, in: facts, preview))
    bubble.hasSound = hasSound
    if choices.hasActions {
      let abilities = try? await server.abilities()
      bubble.actions = Self.actions(for: notice, count, canReply: abilities?.hasReplies ?? false)
    }
    switch notice.category {
    case .failure: bubble.category = "im.error"
    case .locked: (bubble.category, bubble.urgency) = ("im.error", .critical)
    case .message, .request, .invitation, .missedCall: break
    }
    return await put(bubble, notice, count: count, at: notice.place)
  }

  private static func actions(for notice: Notice, _ count: Int, canReply: Bool) -> [Bubble.Action] {
    switch notice.category {
    case .message: [.open, canReply ? .reply : .compose, .read]
    // Of several requests it is not clear which one is meant.
    case .request: count == 1 ? [.open, .accept, .block] : [.open]
    case .invitation: [.open, .accept, .decline]
    case .failure: [.open, .resend]
    case .missedCall, .locked: [.open]
    }
  }

  /// False if it could not be shown.
  @discardableResult
  private func put(_ bubble: Bubble, _ notice: Notice?, count: Int, at place: NoticePlace) async -> Bool {
    let (old, owner) = (shown[place], server.owner)
    var bubble = bubble
    if !setting.canOpen { bubble.actions.removeAll { $0 == .open || $0 == .compose } }
    let id: UInt32
    do { id = try await server.show(bubble, replacing: old?.id) } catch {
      // A server that has not replied in time may show it nevertheless.
      var isCertain = server.owner != owner
      if case .refused = error.kind { isCertain = true }
      guard isCertain, let again = try? await server.show(bubble, replacing: nil) else { return false }
      id = again
    }
    shown.put(
      ShownBubbles.Shown(id: id, notice: notice, actions: Set(bubble.actions.map(\.key)), count: count),
      at: place)
    return true
  }

  /// Forgets what is new at a place, and closes what it shows.
  private func end(_ place: NoticePlace) async {
    queue.forget(place)
    await close(place)
  }

  /// Closes what a place shows. What waits there stays.
  private func close(_ place: NoticePlace) async {
    queue.closed(place)
    guard let old = shown[place] else { return }
    shown.remove(place)
    shown.save()
    await server.close(old.id)
  }

  // MARK: - What is known

  private func facts(about notice: Notice) async -> NoticeConversation? {
    guard notice.category != .locked else { return NoticeConversation(name: "") }
    return await conversation(notice.conversation, of: notice.place.account)
  }

  /// Nil if it is not there, or the account is closed.
  private func conversation(_ chat: String, of account: String) async -> NoticeConversation? {
    guard
      let view = try? await setting.call("chat.get", ["account": .string(account), "chat": .string(chat)])
    else { return nil }
    var facts = NoticeConversation(name: name(view["name"]?.string ?? ""))
    facts.isShared = view["kind"] == "group" || view["kind"] == "community"
    facts.unread = Int(clamping: view["unread"]?.integer ?? 0)
    facts.mutedUntil = view["muted_until"]?.integer
    facts.notifying = view["notifies"]?.string.flatMap { NoticeConversation.Notifying(rawValue: $0) } ?? .all
    facts.isRequest = view["request"] == true
    facts.isBlocked = view["blocked"] == true
    return facts
  }

  /// What is set. Where that cannot be read, as little as possible is shown.
  private func choices(of account: String) async -> NotificationChoices {
    var choices = NotificationChoices()
    guard
      case .array(let items)? = try? await setting.call("settings.list", ["account": .string(account)])[
        "items"]
    else {
      choices = lastChoices[account] ?? choices
      choices.preview = .hidden
      return choices
    }
    for item in items {
      switch item["name"]?.string {
      case "notifications": choices.areOn = item["choice"] != "off"
      case "notification-preview":
        choices.preview =
          item["choice"]?.string.flatMap { NotificationChoices.Preview(rawValue: $0) } ?? .hidden
      case "notification-sound": choices.hasSound = item["value"] != false
      case "notification-actions": choices.hasActions = item["value"] != false
      case "notification-timer-preview": choices.showsTimed = item["value"] == true
      default: break
      }
    }
    lastChoices[account] = choices
    return choices
  }
}

// MARK: - The person

extension Notifier {
  private func take(_ happening: NotificationServer.Happening) async {
    switch happening {
    case .replaced:
      for place in shown.all { queue.closed(place) }
      await meetServer()
    case .closed(let id):
      shown.remove(earlier: id)
      guard let (place, _) = shown.find(id) else { return shown.save() }
      shown.remove(place)
      shown.save()
      queue.closed(place)
    case .chosen(let id, let key, let token):
      guard let (place, entry) = shown.find(id) else {
        // That of an earlier run opens the program.
        if key == Bubble.Action.open.key, shown.isEarlier(id) {
          shown.remove(earlier: id)
          begin { await $0.setting.open(nil, nil, token) }
        }
        return
      }
      guard entry.actions.contains(key), acts.count < Self.maxActs else { return }
      // What came after the message that is shown is not read yet.
      if key == Bubble.Action.read.key { await close(place) } else { await end(place) }
      begin { await $0.act(key, entry.notice, at: place, token) }
    case .answered(let id, let text):
      let answer = Self.answer(text)
      guard !answer.isEmpty else { return }
      guard let (place, entry) = shown.find(id) else {
        if shown.isEarlier(id) { await tellLost(answer, key: nextKey()) }
        return
      }
      guard let notice = entry.notice, entry.actions.contains(Bubble.Action.reply.key) else { return }
      await close(place)
      let (account, key) = (place.account, nextKey())
      guard acts.count < Self.maxActs else {
        return await keep(answer, "too many other things are under way", notice, of: account, key: key)
      }
      begin { await $0.answer(answer, notice, of: account, key: key) }
    }
  }

  /// The key of an answer: a second message with it is not sent.
  private func nextKey() -> String {
    replies += 1
    return "notify:\(setting.instance):\(replies)"
  }

  /// The server that shows notifications now; its bus is a part of its name.
  private func meetServer() async {
    guard let owner = server.owner else { return }
    let bus = try? await bus.call(.bus("GetId")).first?.text
    shown.begin(with: "\(bus ?? "") \(owner)")
  }

  /// Does something without holding up what is to be shown.
  private func begin(_ act: @escaping @Sendable (isolated Notifier) async -> Void) {
    guard acts.count < Self.maxActs else { return }
    lastAct += 1
    let number = lastAct
    acts[number] = Task { [weak self] in
      guard let self else { return }
      await act(self)
      await ended(number)
    }
  }

  private func ended(_ number: Int) { acts[number] = nil }

  private func act(_ key: String, _ notice: Notice?, at place: NoticePlace, _ token: String?) async {
    let account = place.account
    guard let notice else { return await setting.open(account, nil, token) }
    let chat = notice.conversation
    do {
      switch key {
      case Bubble.Action.read.key: try await read(notice, of: account)
      case Bubble.Action.accept.key where notice.category == .invitation:
        try await call("group.accept", account, [("group", chat)])
      case Bubble.Action.decline.key: try await call("group.decline", account, [("group", chat)])
      case Bubble.Action.accept.key: try await call("requests.accept", account, [("person", chat)])
      case Bubble.Action.block.key: try await call("requests.block", account, [("person", chat)])
      case Bubble.Action.resend.key:
        _ = try await setting.call(
          "resend", ["account": .string(account), "id": .integer(notice.message ?? 0)])
      default: await setting.open(account, chat.isEmpty ? nil : chat, token)
      }
    } catch {
      // It may have been done elsewhere; what is to be seen there is true.
      await setting.open(account, chat.isEmpty ? nil : chat, token)
    }
  }

  /// Marks a conversation as read, up to the message that was shown.
  private func read(_ notice: Notice, of account: String) async throws {
    var members: [JSONValue.Member] = [
      .init("account", .string(account)), .init("chat", .string(notice.conversation)),
    ]
    if let message = notice.message { members.append(.init("up_to", .integer(message))) }
    _ = try await setting.call("read", .object(members))
  }

  private func call(_ method: String, _ account: String, _ params: [(String, String)]) async throws {
    let members = [JSONValue.Member("account", .string(account))] + params.map { .init($0.0, .string($0.1)) }
    _ = try await setting.call(method, .object(members))
  }

  /// What a person typed: on several lines, without other control characters.
  private static func answer(_ text: String) -> String {
    let plain = text.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }
    let characters = String(String.UnicodeScalarView(plain))
    guard let first = characters.firstIndex(where: { !$0.isWhitespace }),
      let last = characters.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(characters[first...last])
  }

  /// Sends an answer. If it is refused, it becomes the draft, so that nothing typed is lost.
  private func answer(_ text: String, _ notice: Notice, of account: String, key: String) async {
    let chat = notice.conversation
    do {
      guard text.utf8.count <= Self.maxReply else { throw TooLong() }
      try await call("send", account, [("to", chat), ("text", text), ("key", key)])
      try? await read(notice, of: account)
    } catch {
      let why = error is TooLong ? "the text is too long" : setting.reason(error)
      await keep(text, why, notice, of: account, key: key)
    }
  }

  private struct TooLong: Error {}

  /// Adds a text to the draft of a conversation, and says why it was not sent.
  private func keep(
    _ text: String, _ why: String, _ notice: Notice, of account: String, key: String
  ) async {
    let chat = notice.conversation
    let choices = await choices(of: account)
    let facts = await conversation(chat, of: account) ?? NoticeConversation(name: "")
    let isLocked = await lock.isLocked()
    var kept = ""
    if let draft = try? await setting.call(
      "draft.get", ["account": .string(account), "chat": .string(chat)])
    {
      let old = draft["text"]?.string ?? ""
      let beginning = Self.beginning(
        of: text, bytes: Self.maxReply - old.utf8.count - (old.isEmpty ? 0 : 1))
      // What the draft has stays, its files with it.
      let params: JSONValue = [
        "account": .string(account), "chat": .string(chat), "text": .string(beginning), "add": true,
      ]
      if !beginning.isEmpty, (try? await setting.call("draft.set", params)) != nil { kept = beginning }
    }
    let reason = setting.clean(why)
    let shownText = choices.showsAnswer(to: notice, isLocked: isLocked) ? self.shownText(text) : nil
    var bubble = Bubble(
      kept.isEmpty
        ? NoticeText(lost: shownText, why: reason)
        : NoticeText(
          unsent: reason, to: facts.name, isWhole: kept == text,
          choices.preview(of: notice, isLocked: isLocked)))
    bubble.category = "im.error"
    if choices.hasActions { bubble.actions = [.open] }
    await put(bubble, notice, count: 1, at: NoticePlace(account, .answer(key)))
  }

  /// Shows an answer to something of which nothing is known any more.
  private func tellLost(_ text: String, key: String) async {
    let isLocked = await lock.isLocked()
    var bubble = Bubble(
      NoticeText(lost: isLocked ? nil : shownText(text), why: "the program was started again since"))
    bubble.category = "im.error"
    await put(bubble, nil, count: 1, at: NoticePlace("", .answer(key)))
  }

  private func shownText(_ text: String) -> String {
    setting.clean(String(text.unicodeScalars.prefix(NoticeText.maxBody * 8)))
  }

  /// As many whole characters of a text as so many bytes hold.
  static func beginning(of text: String, bytes: Int) -> String {
    guard text.utf8.count > bytes else { return text }
    guard bytes > 0 else { return "" }
    var end = text.utf8.index(text.startIndex, offsetBy: bytes)
    while end.samePosition(in: text) == nil { end = text.utf8.index(before: end) }
    return String(text[..<end])
  }
}
