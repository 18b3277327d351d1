import SessionBase
import SessionCore
import SessionMessaging
import SessionTerminal

/// Scheduled messages, files and safety numbers.
extension UIAccount {
  /// The most files that are listed.
  private static let maxFiles = 200

  // MARK: - Scheduled messages

  func schedule(
    _ text: String, answering: Int64?, _ paths: [String], to conversation: Conversation.ID, at when: String,
    _ number: Int
  ) async throws {
    let text = OutgoingText(text, answering: answering.map { MessageView.ID(rawValue: $0) })
    let files = try paths.map { path in try OutgoingFile(existing: expanded(path)) }
    let time = try sendTime(when)
    // As for a message that is sent at once.
    let key = sendKeys.value?[number] ?? .random
    sendKeys.value = (sendKeys.value ?? [:]).merging([number: key]) { first, _ in first }
    _ = try await messenger.schedule(text, attachments: files, to: conversation, at: time, key: key)
    sendKeys.value?[number] = nil
    // The text is kept with the scheduled message now. A draft that stays is no failure of that.
    try? await messenger.setDraft("", in: conversation)
    screen.tell(.notice("it is sent at \(LocalTime.text(time.at))", isFailure: false))
  }

  /// `07:30`, `2026-12-24 18:00` or `2h`.
  private func sendTime(_ text: String) throws(CommandFailure) -> SendTime {
    let now = Int64(clamping: io.now())
    let zone = LocalZone.name(io.environment)
    if let at = LocalMoment.parse(text) ?? LocalMoment.next(text, after: now) {
      return SendTime(at, zone: zone)
    }
    guard let span = TimeSpan(text), (0...SendTime.mostDelay / 1000).contains(span.seconds) else {
      throw .data("write a time such as 07:30, '2026-12-24 18:00' or 2h")
    }
    return SendTime(now + span.seconds * 1000, zone: zone)
  }

  func tellScheduled() async throws {
    let messages = try await messenger.scheduledMessages().filter { $0.state != .sent }
    let directory = try await Directory(of: messenger, showing: messages.map(\.conversation))
    screen.tell(
      .scheduled(
        messages.map { message in
          ListedScheduled(
            id: message.id.rawValue, name: directory.name(message.conversation),
            when: LocalTime.text(message.time.at), text: String(message.body.prefix(200)),
            state: message.state == .waiting ? nil : message.state.rawValue)
        }))
  }

  // MARK: - Files

  func tellFiles(of conversation: Conversation.ID) async throws {
    var files: [ConversationFile] = []
    if try await messenger.conversation(conversation) != nil {
      var filter = FileFilter()
      filter.conversation = conversation
      files = try await messenger.files(filter, limit: Self.maxFiles)
    }
    let directory = try await Directory(of: messenger, showing: [conversation])
    screen.tell(
      .media(
        conversation: conversation.description,
        files.map { file in
          ListedFile(
            message: file.message.rawValue, name: file.file.name ?? file.file.contentType,
            detail:
              "\(directory.name(file.author))  \(ByteCount.text(file.file.size))  \(LocalTime.text(file.sentAt))"
          )
        }))
  }

  // MARK: - Safety numbers

  private func person(of conversation: Conversation.ID) throws(CommandFailure) -> SessionID {
    guard case .person(let person) = conversation, person.kind == .standard, person != messenger.id else {
      throw .data("numbers are compared with another person, under their account id")
    }
    return person
  }

  func tellSafetyNumber(with conversation: Conversation.ID) async throws {
    let person = try person(of: conversation)
    // Without the network the devices that are known are compared.
    _ = try? await messenger.lookUpDevices(of: person)
    let view = try await messenger.safetyNumber(with: person)
    let name = try await Directory(of: messenger).name(person)
    screen.tell(
      .safetyNumber(
        conversation: conversation.description,
        SafetyNumbers(
          name: name, digits: view.candidates.map(\.number.digits), isVerified: view.state == .verified)))
  }

  func verify(_ conversation: Conversation.ID, _ digits: String) async throws {
    let person = try person(of: conversation)
    let view = try await messenger.safetyNumber(with: person)
    guard let candidate = view.candidates.first(where: { $0.number.digits == digits }) else {
      throw CommandFailure.data("the number has changed meanwhile; compare it again")
    }
    try await messenger.confirm(candidate, of: person, by: .word)
    let name = try await Directory(of: messenger).name(person)
    screen.tell(.notice("\(name) is verified", isFailure: false))
  }
}
