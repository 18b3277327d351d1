import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// What the user does about forward secrecy.

extension Ratchet {
  func enable() async throws {
    try await write { [self] transaction, now in
      var row = try obtainSelf(in: transaction)
      try requireHome(row)
      if try transaction.forwardSecrecy() == .off {
        try transaction.set(.forwardSecrecy, to: ForwardSecrecy.auto.rawValue)
      }
      row.isClosed = true
      try transaction.put(row)
      try beginWorking(in: transaction)
      try transaction.tell(.securityChanged, MessengerEvent.Content(), at: now)
    }
  }

  func disable() async throws {
    try await write { [self] transaction, now in
      try transaction.set(.forwardSecrecy, to: ForwardSecrecy.off.rawValue)
      if var row = try transaction.ratchetSelf() {
        row.isClosed = false
        try transaction.put(row)
      }
      try transaction.replaceRatchetPrekeys(at: jobTime)
      try transaction.enqueue(RatchetUpkeep(), at: jobTime)
      try transaction.requestPublishing(at: jobTime)
      try transaction.tell(.securityChanged, MessengerEvent.Content(), at: now)
    }
  }

  func set(_ setting: ForwardSecrecy) async throws {
    guard setting != .off else { return try await disable() }
    try await write { [self] transaction, now in
      try transaction.set(.forwardSecrecy, to: setting.rawValue)
      try requireHome(try obtainSelf(in: transaction))
      try beginWorking(in: transaction)
      try transaction.tell(.securityChanged, MessengerEvent.Content(), at: now)
    }
  }

  /// Has this device publish its keys and look after its sessions, if forward secrecy is on.
  func beginWorking(in transaction: borrowing WriteTransaction) throws {
    guard try transaction.forwardSecrecy() != .off else { return }
    try transaction.requestPublishing(at: jobTime)
    try transaction.enqueue(RatchetUpkeep(), at: jobTime)
  }

  private func requireHome(_ row: RatchetSelfRecord) throws {
    guard try !isForeign(row) else { throw MessengerError.copied }
  }

  func setRequired(_ isRequired: Bool, for person: SessionID) async throws {
    try person.requireRecipient()
    guard person != own else { throw MessengerError(.invalidRecipient, "this is your own id") }
    try await write { transaction, now in
      var record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
      record.policy = isRequired ? .require : .auto
      try transaction.put(record)
      try transaction.tell(.securityChanged, MessengerEvent.Content(person: person), at: now)
    }
  }

  /// Looks up what the devices of a person have published; false if the network could not be asked. Nothing is looked up
  /// while forward secrecy is off.
  func lookUp(_ person: SessionID) async throws -> Bool {
    try context.requireWorking()
    guard try await database.read({ transaction in try transaction.forwardSecrecy() != .off }) else {
      return true
    }
    let found: (bundles: [PublishedBundle], isComplete: Bool)
    do { found = try await fetch(person) } catch is NetworkFailure { return false }
    try await write { [self] transaction, now in
      try take(found.bundles, of: person, isComplete: found.isComplete, at: now, in: transaction)
    }
    return true
  }

  /// Starts new sessions with the devices of a person, or with one of them, and asks for what could not be read.
  func reset(_ person: SessionID, _ key: [UInt8]?) async throws {
    try person.requireRecipient()
    guard person != own else { throw MessengerError(.invalidRecipient, "this is your own id") }
    _ = try await lookUp(person)
    try await write { [self] transaction, now in
      guard try transaction.forwardSecrecy() != .off, let row = try transaction.ratchetSelf() else {
        throw MessengerError(
          .security, "forward secrecy is off for this account: run: session security enable")
      }
      try requireHome(row)
      guard try transaction.contact(person.address)?.isApproved == true else {
        throw MessengerError(
          .notAllowed, "this person is no contact: sessions with them were never agreed on")
      }
      let record = try transaction.ratchetAccount(person.address) ?? RatchetAccountRecord(person.address)
      let devices = try receivers(
        of: person, among: transaction.ratchetDevices(of: person.address), record, in: transaction
      ).filter { device in key.map { device.device == $0 } ?? true }
      guard !devices.isEmpty else {
        throw MessengerError(
          .security,
          key == nil
            ? "no device of this person gets messages with forward secrecy"
            : "this person has no such device that gets messages with forward secrecy")
      }
      var count = 0
      for device in devices where try startAnew(with: device, person, in: transaction) { count += 1 }
      guard count > 0 else {
        throw MessengerError(
          .security,
          "no keys of this person's devices could be fetched: repeat it when the network can be reached")
      }
    }
  }

  // MARK: Verification

  func confirm(
    _ person: SessionID, _ devices: [[UInt8]], _ fingerprint: [UInt8], by method: VerificationMethod
  ) async throws {
    try await write { [self] transaction, now in
      let known = try safetyNumbers(with: person, in: transaction)
      guard known.contains(where: { $0.devices == devices && $0.number.theirs.fingerprint == fingerprint })
      else {
        throw MessengerError(
          .identity, "the devices of this person have changed while you compared: compare the numbers again")
      }
      let recorded: VerificationRecord.Method =
        switch method {
        case .number: .number
        case .code: .code
        case .word: .word
        }
      try confirm(person, devices, fingerprint, by: recorded, at: now, in: transaction)
    }
  }

  func accept(_ person: SessionID, _ devices: [[UInt8]]?, upTo cursor: MessengerEvent.Cursor?) async throws {
    try await write { [self] transaction, now in
      var time: Int64?
      if let cursor {
        let id = EventRecord.ID(rawValue: cursor.rawValue)
        let event = try transaction.events(after: EventRecord.ID(rawValue: cursor.rawValue - 1), limit: 1)
          .first
        guard let event, event.id == id, MessengerEvent(event)?.person == person else {
          throw MessengerError(.unknownCursor, "event \(cursor.rawValue) is not about this person")
        }
        time = event.at
      }
      try accept(person, devices, upTo: time, at: now, in: transaction)
    }
  }

  // MARK: Own devices

  func link(_ key: [UInt8]) async throws {
    try context.requireWorking()
    if try await database.read({ transaction in try transaction.ratchetDevice(key) }) == nil {
      // It may have published since the slots were read last.
      let found = (try? await readBundles(of: own, askingAll: true)) ?? []
      try await write { [self] transaction, now in
        let device = try transaction.ownDevice(of: account)?.id
        try take(
          found.filter { $0.bundle.device != device }, of: own, isComplete: true, at: now, in: transaction)
      }
    }
    try await changeDevice(key) { [self] device in
      guard device.status != .removed else {
        throw MessengerError(.notAllowed, "this device was removed: run 'session device renew' there first")
      }
      if device.status != .accepted { device.accept(at: jobTime) }
    } ending: { [self] _, transaction in
      // It has no verifications from us yet.
      try transaction.repeatToldVerifications()
      try shareVerifications(in: transaction)
    }
  }

  func remove(_ key: [UInt8]) async throws {
    try await changeDevice(key) { [self] device in
      (device.status, device.removedAt) = (.removed, jobTime)
    } ending: { [self] device, transaction in
      try transaction.closeRatchetSessions(with: device.id)
      // The holder of the removed device may know the old prekeys.
      try transaction.replaceRatchetPrekeys(at: jobTime)
    }
  }

  private func changeDevice(
    _ key: [UInt8], _ body: @escaping @Sendable (inout RatchetDeviceRecord) throws -> Void,
    ending end: @escaping @Sendable (RatchetDeviceRecord, borrowing WriteTransaction) throws -> Void = {
      _, _ in
    }
  ) async throws {
    try await write { [self] transaction, now in
      guard try transaction.ratchetSelf() != nil else {
        throw MessengerError(
          .security, "forward secrecy is off for this account: run: session security enable")
      }
      guard var device = try transaction.ratchetDevice(key), device.account == own.address else {
        throw MessengerError(.notAllowed, "there is no such device of this account")
      }
      try body(&device)
      try transaction.put(device)
      try end(device, transaction)
      try transaction.requestPublishing(at: jobTime)
      try transaction.tell(.devicesChanged, MessengerEvent.Content(person: own), at: now)
    }
  }

  func renew() async throws {
    try await write { [self] transaction, now in
      guard try transaction.ratchetSelf() != nil else {
        throw MessengerError(
          .security, "forward secrecy is off for this account: run: session security enable")
      }
      try renewIdentity(in: transaction)
      try beginWorking(in: transaction)
      try transaction.tell(.devicesChanged, MessengerEvent.Content(person: own), at: now)
    }
  }
}
