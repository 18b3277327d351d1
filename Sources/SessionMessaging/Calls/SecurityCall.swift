public import SessionCore
import SessionNetworking
import SessionStorage

/// A call about forward secrecy and verification.
package enum SecurityCall: Codable, Hashable, Sendable {
  case enable
  case disable
  case setForwardSecrecy(ForwardSecrecy)
  case setNewDevices(NewDevices)
  case setVerificationPolicy(VerificationPolicy)
  /// Requires forward secrecy for a contact, or leaves it to the account's setting.
  case setRequired(Bool, SessionID)
  /// Starts new sessions with the devices of a person, or with one of them.
  case reset(SessionID, device: [UInt8]?)
  /// Looks up what the devices of a person have published; false if that failed.
  case lookUp(SessionID)
  /// The numbers for these devices of a person are equal.
  case confirm(SessionID, devices: [[UInt8]], fingerprint: [UInt8], VerificationMethod)
  case accept(SessionID, devices: [[UInt8]]?, upTo: MessengerEvent.Cursor?)
  case clear(SessionID)
  case link(device: [UInt8])
  case remove(device: [UInt8])
  case renew
}

/// How numbers were compared.
public enum VerificationMethod: String, Codable, Hashable, Sendable {
  case number
  case code
  /// The user said that they are equal.
  case word
}

extension Messenger {
  nonisolated func carryOut(_ call: SecurityCall) async throws -> MessengerReply {
    switch call {
    case .enable: try await ratchet.enable()
    case .disable: try await ratchet.disable()
    case .setForwardSecrecy(let setting): try await ratchet.set(setting)
    case .setNewDevices(let value):
      try await context.write { transaction, _ in try transaction.set(.newDevices, to: value.rawValue) }
    case .setVerificationPolicy(let value):
      try await context.write { transaction, _ in try transaction.set(.verificationPolicy, to: value.rawValue)
      }
    case .setRequired(let isRequired, let person): try await ratchet.setRequired(isRequired, for: person)
    case .reset(let person, let device): try await ratchet.reset(person, device)
    case .lookUp(let person): return .success(try await ratchet.lookUp(person))
    case .confirm(let person, let devices, let fingerprint, let method):
      try await ratchet.confirm(person, devices, fingerprint, by: method)
    case .accept(let person, let devices, let cursor): try await ratchet.accept(person, devices, upTo: cursor)
    case .clear(let person):
      try await context.write { [ratchet] transaction, now in
        try ratchet.clearVerification(of: person, at: now, in: transaction)
      }
    case .link(let device): try await ratchet.link(device)
    case .remove(let device): try await ratchet.remove(device)
    case .renew: try await ratchet.renew()
    }
    return .done
  }
}

extension Messenger {
  /// Switches forward secrecy on: publishes keys of this device, and declares that all devices of the account take part. The
  /// user has confirmed that, and knows that a device restored from the recovery phrase lacks what was sent this way.
  public nonisolated func enableSecurity() async throws { try await perform(.security(.enable)) }

  /// Takes this device's keys back. What others sent with them is received for two weeks more.
  public nonisolated func disableSecurity() async throws { try await perform(.security(.disable)) }

  public nonisolated func setForwardSecrecy(_ setting: ForwardSecrecy) async throws {
    try await perform(.security(.setForwardSecrecy(setting)))
  }

  public nonisolated func setNewDevices(_ value: NewDevices) async throws {
    try await perform(.security(.setNewDevices(value)))
  }

  public nonisolated func setVerificationPolicy(_ value: VerificationPolicy) async throws {
    try await perform(.security(.setVerificationPolicy(value)))
  }

  /// Has messages to a contact sent with forward secrecy or not at all.
  public nonisolated func setSecurityRequired(_ isRequired: Bool, for person: SessionID) async throws {
    try await perform(.security(.setRequired(isRequired, person)))
  }

  /// Starts new sessions with the devices of a contact, or with one of them, and asks for messages that could not be read.
  public nonisolated func resetSessions(with person: SessionID, device: [UInt8]? = nil) async throws {
    try await perform(.security(.reset(person, device: device)))
  }

  /// Returns how messages to a person are protected.
  public nonisolated func security(of person: SessionID) async throws -> SecurityView {
    try await ratchet.security(of: person)
  }

  /// Returns the state of forward secrecy on this device.
  public nonisolated func ownSecurity() async throws -> OwnSecurityView { try await ratchet.ownSecurity() }

  /// Looks up what the devices of a person have published. Returns false if the network could not be asked.
  @discardableResult
  public nonisolated func lookUpDevices(of person: SessionID) async throws -> Bool {
    try await perform(.security(.lookUp(person))) == .success(true)
  }

  /// Returns the numbers to compare with a person.
  public nonisolated func safetyNumber(with person: SessionID) async throws -> SafetyNumberView {
    try await ratchet.safetyNumber(with: person)
  }

  /// Records that the other side sees the same number. Its devices are accepted, all others of the person get nothing.
  public nonisolated func confirm(
    _ candidate: SafetyNumberView.Candidate, of person: SessionID, by method: VerificationMethod
  ) async throws {
    try await perform(
      .security(
        .confirm(person, devices: candidate.devices, fingerprint: candidate.number.theirs.fingerprint, method)
      ))
  }

  /// Accepts a person who has changed, without comparing numbers: up to what an event told, if one is given.
  public nonisolated func acceptChange(
    of person: SessionID, devices: [[UInt8]]? = nil, upTo event: MessengerEvent.Cursor? = nil
  ) async throws {
    try await perform(.security(.accept(person, devices: devices, upTo: event)))
  }

  /// Forgets that numbers were compared.
  public nonisolated func clearVerification(of person: SessionID) async throws {
    try await perform(.security(.clear(person)))
  }

  /// Returns everybody whose number was compared.
  public nonisolated func verifiedPeople() async throws -> [VerifiedPerson] {
    try await ratchet.verifiedPeople()
  }

  /// Links another device of the account, whose whole id the user has read on its own screen.
  public nonisolated func linkDevice(_ device: [UInt8]) async throws {
    try await perform(.security(.link(device: device)))
  }

  /// Removes another device of the account for ever.
  public nonisolated func removeDevice(_ device: [UInt8]) async throws {
    try await perform(.security(.remove(device: device)))
  }

  /// Gives this device a new identity.
  public nonisolated func renewDevice() async throws { try await perform(.security(.renew)) }
}
