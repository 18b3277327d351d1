import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionTerminal

extension UIAccount {
  /// Stands for ever: the last second of the year 9999.
  private static let never: Int64 = 253_402_300_799_000

  /// Does what the interface wants.
  func perform(_ entry: EffectQueue.Entry) async throws {
    switch entry.effect {
    case .load(let id, let before): try await load(try conversation(id), before: before)
    case .jump(let id, let message): try await jump(in: try conversation(id), to: message)
    case .search(let text, let place): try await search(text, in: place)
    case .people(let id): try await tellPeople(of: try conversation(id))
    case .settings: try await tellSettings()
    case .network: screen.tell(await network())
    case .scheduled: try await tellScheduled()
    case .media(let id): try await tellFiles(of: try conversation(id))
    case .safetyNumber(let id): try await tellSafetyNumber(with: try conversation(id))
    case .send(let id, let text, let answered, let files):
      try await send(text, answering: answered, files, to: try conversation(id), entry.number)
    case .schedule(let id, let text, let answered, let files, let when):
      try await schedule(
        text, answering: answered, files, to: try conversation(id), at: when, entry.number)
    case .redraw, .suspend, .editText, .leaveProgram: break
    default: try await change(entry.effect)
    }
  }

  private func conversation(_ text: String) throws -> Conversation.ID { try Conversation.ID(parsing: text) }

  private func change(_ effect: UIEffect) async throws {
    switch effect {
    case .edit(_, let id, let text): try await messenger.edit(.init(rawValue: id), text)
    case .react(let id, let emoji, let isWanted):
      let id = MessageView.ID(rawValue: id)
      try await isWanted ? messenger.react(emoji, to: id) : messenger.unreact(emoji, to: id)
    case .delete(let id, let forEveryone):
      try await messenger.delete(.init(rawValue: id), forEveryone ? .forEveryone : .here)
    case .resend(let id): try await messenger.resend(.init(rawValue: id))
    case .cancelScheduled(let id): try await messenger.cancelScheduled(.init(rawValue: id))
    case .sendScheduled(let id): try await messenger.sendScheduledNow(.init(rawValue: id))
    case .verify(let id, let digits): try await verify(try conversation(id), digits)
    case .markRead(let id, let last):
      let id = try conversation(id)
      guard try await messenger.conversation(id) != nil else { return }
      try await messenger.markRead(id, upTo: last.map { .init(rawValue: $0) })
    case .markUnread(let id): try await messenger.markUnread(try conversation(id))
    case .draft(let id, let text): try await keepDraft(text, in: try conversation(id))
    case .typing(let id, let isTyping): try? await messenger.setTyping(isTyping, in: try conversation(id))
    case .pin(let id, let isPinned): try await messenger.setPinned(isPinned, try conversation(id))
    case .hide(let id, let isHidden): try await messenger.setHidden(isHidden, try conversation(id))
    case .mute(let id, let seconds):
      let end = seconds.map { Int64(clamping: io.now()) + $0 * 1000 } ?? Self.never
      try await messenger.setMuted(until: seconds == 0 ? nil : end, try conversation(id))
    case .timer(let id, let seconds): try await setTimer(seconds, in: try conversation(id))
    case .rename(let id, let name): try await rename(try conversation(id), name)
    case .block(let id, let isBlocked):
      guard case .person(let person) = try conversation(id) else {
        throw CommandFailure.data("only people can be blocked")
      }
      try await isBlocked ? messenger.block(person) : messenger.unblock(person)
    case .answer(let id, let answer):
      let id = try conversation(id)
      switch answer {
      case .accept: try await messenger.acceptRequest(id)
      case .decline: try await messenger.declineRequest(id)
      case .block: try await messenger.declineRequest(id, blocking: true)
      }
    default: try await changeMore(effect)
    }
  }

  private func changeMore(_ effect: UIEffect) async throws {
    switch effect {
    case .fetch(let file): try await messenger.download(.init(rawValue: file))
    case .save(let file, let path):
      let path = expanded(path)
      try await messenger.save(.init(rawValue: file), to: path)
      screen.tell(.notice("saved as \(path)", isFailure: false))
    case .invite(let id, let who):
      try await io.names.resolve([who], messenger) { [screen] in screen.tell(.notice($0, isFailure: false)) }
      let person = try await Directory(of: messenger).person(who, io)
      try await messenger.invite([person], to: try conversation(id))
      screen.tell(.notice("invited", isFailure: false))
    case .promote(let id, let person):
      try await messenger.promote([try SessionID(parsing: person)], in: try conversation(id))
    case .remove(let id, let person):
      try await messenger.remove([try SessionID(parsing: person)], from: try conversation(id))
    case .leave(let id):
      switch try conversation(id) {
      case .group(let group): try await messenger.leave(.group(group))
      case .room(let room): try await messenger.leaveRoom(.room(room))
      case .person: throw CommandFailure.data("only groups and rooms can be left")
      }
    case .begin(let who): try await begin(with: who)
    case .set(let name, let isOn):
      try await AccountSetting.all.first { $0.name == name }?.set(messenger, isOn ? "on" : "off")
    default: break
    }
  }

  // MARK: - Sending

  private func send(
    _ text: String, answering: Int64?, _ paths: [String], to conversation: Conversation.ID, _ number: Int
  ) async throws {
    var text = OutgoingText(text, answering: answering.map { MessageView.ID(rawValue: $0) })
    text.endsDraftText = true
    let files = try paths.map { path in try OutgoingFile(existing: expanded(path)) }
    // The program that holds the account may end after it has kept the message, and before it says so.
    let key = sendKeys.value?[number] ?? .random
    sendKeys.value = (sendKeys.value ?? [:]).merging([number: key]) { first, _ in first }
    var asking = io
    asking.tell = { [screen] line in screen.tell(.notice(line, isFailure: false)) }
    text = try await LinkPreviews(io: asking).adding(to: text, in: conversation, messenger)
    _ = try await messenger.send(text, attachments: files, to: conversation, key: key)
  }

  func expanded(_ path: String) -> String {
    path.hasPrefix("~/") ? (io.environment["HOME"] ?? "~") + path.dropFirst() : path
  }

  private func keepDraft(_ text: String, in conversation: Conversation.ID) async throws {
    guard let view = try await messenger.conversation(conversation), view.draft ?? "" != text else { return }
    try await messenger.setDraft(text, in: conversation)
  }

  private func setTimer(_ seconds: UInt32?, in conversation: Conversation.ID) async throws {
    let timer = try seconds.map { try DisappearingTimer(.afterSend, seconds: $0) }
    try await messenger.setTimer(timer, in: conversation)
  }

  private func rename(_ conversation: Conversation.ID, _ name: String) async throws {
    switch conversation {
    case .person(let person):
      guard name.isEmpty || !NameKey(name).isReserved && (try? SessionID(parsing: name)) == nil else {
        throw CommandFailure.data("this already names another person")
      }
      try await messenger.setNickname(name.isEmpty ? nil : name, of: person)
    case .group: try await messenger.update(conversation) { $0.name = name }
    case .room: throw CommandFailure.data("only admins rename rooms: 'session community describe' does it")
    }
    forgetNames()
  }

  /// Opens a conversation with a person, or joins a room by its link.
  private func begin(with who: String) async throws {
    let id: Conversation.ID
    if let link = try? CommunityLink(typed: who) {
      screen.tell(.notice("joining…", isFailure: false))
      id = try await messenger.joinRoom(link)
    } else {
      let directory = try await Directory(of: messenger)
      try await io.names.resolve([who], messenger) { [screen] in screen.tell(.notice($0, isFailure: false)) }
      id = try directory.conversation(who, io)
      if let warning = directory.warning(beforeWritingTo: id) {
        screen.tell(.notice(warning, isFailure: false))
      }
    }
    screen.tell(.opened(conversation: id.description))
  }

  // MARK: - Telling

  private func tellPeople(of conversation: Conversation.ID) async throws {
    var people: [ListedPerson] = []
    switch conversation {
    case .group:
      let directory = try await Directory(of: messenger, showing: [conversation])
      people = try await messenger.members(of: conversation).map { member in
        ListedPerson(
          id: member.id.description, name: directory.name(member.id), role: member.isAdmin ? "admin" : "")
      }
    case .room:
      let directory = try await Directory(of: messenger, showing: [conversation])
      people = (try await messenger.room(conversation)?.moderators ?? []).map { moderator in
        ListedPerson(
          id: moderator.id.description, name: directory.name(moderator.id),
          role: moderator.isAdmin ? "admin" : "moderator")
      }
    case .person: break
    }
    screen.tell(.people(conversation: conversation.description, people))
  }

  private func tellSettings() async throws {
    let settings = try await messenger.settings()
    screen.tell(
      .settings(
        AccountSetting.all.filter(\.isSwitch).map {
          ListedSetting(name: $0.name, summary: $0.summary, value: $0.value(settings).map { $0 == "on" })
        }))
  }
}
