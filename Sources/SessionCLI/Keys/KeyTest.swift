import SessionBase
import SessionCore
import SessionStorage

/// Opens the key of an account with one slot alone.
struct KeyTest: Sendable {
  private let account: AccountFolder
  private let keys: DatabaseKeys
  private let io: CommandIO

  init(_ account: AccountFolder, _ io: CommandIO) {
    (self.account, self.io) = (account, io)
    keys = DatabaseKeys(path: account.key)
  }

  func run(_ number: String?, isJSON: Bool) async throws -> CommandOutput {
    let slots = try keys.slots()
    guard let number else { return try await all(slots, isJSON: isJSON) }
    guard let id = UInt8(number), let slot = slots.first(where: { $0.id == id }) else {
      throw StorageError(.slotMissing, "the key has no slot \(DisplayText.line(number))")
    }
    try await open(slot)
    guard !isJSON else { return CommandOutput(lines: [slot.json(.works)]) }
    return CommandOutput(notes: ["Slot \(id) (\(slot.kindName)) opens the key."])
  }

  private func all(_ slots: [KeySlot], isJSON: Bool) async throws -> CommandOutput {
    let tested = slots.filter { $0.lock?.kind.isAutomatic ?? true }
    let states = await WorkerQueue("session.keys").run { KeyState.all(of: tested, keys, KeyPlaces(io: io)) }
    var table = TextTable(head: ["slot", "kind", "place", "state"])
    table.rows = zip(tested, states).map { $0.row($1) }
    var output =
      isJSON
      ? CommandOutput(lines: zip(tested, states).map { $0.json($1) }) : CommandOutput(data: table.parts)
    let areAllWorking = states.allSatisfy(\.isWorking)
    if !areAllWorking { output.status = .data }
    if tested.isEmpty { output.notes = ["No slot opens without a person."] }
    return output
  }

  private func open(_ slot: KeySlot) async throws {
    switch slot.lock {
    case .passphrase:
      let passphrase = try await AccountPassphrase(io: io).asked("Passphrase of \(account.name): ")
      _ = try await WorkerQueue.passphrases.run { try keys.open(slot.id, passphrase: passphrase) }
    case .recovery:
      if let known = try io.given?.account() {
        _ = try keys.open(slot.id, recovering: known)
        return
      }
      guard var typed = try await io.askSecret("Recovery phrase of \(account.name), 13 words: ") else {
        throw CommandFailure(
          status: .configuration, message: "no terminal to prompt on for the recovery phrase",
          advice: "'session account unlock --phrase FILE' reads it from a file.")
      }
      defer { typed.wipe() }
      _ = try keys.open(slot.id, recovering: Account(RecoveryPhrase(parsing: typed)))
    default:
      _ = try await WorkerQueue("session.keys").run {
        try KeyPlaces(io: io).open(slot, of: keys, asking: io.messageColumns() != nil)
      }
    }
  }
}
