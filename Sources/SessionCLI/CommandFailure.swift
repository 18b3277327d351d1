import SessionBase
import SessionCore
import SessionDaemon
import SessionHTTP
import SessionJobs
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionServers
import SessionService
import SessionStorage

/// Why a command failed: the exit status, what happened, and what to do about it.
struct CommandFailure: Error {
  let status: ExitCode
  let message: String
  var advice: String? = nil
  /// The message that was kept although the command failed.
  var messageID: Int64? = nil
  /// The machine-readable reason, where the exit status is ambiguous.
  var detail: Detail? = nil

  /// A reason that the status does not show.
  enum Detail: String, CaseIterable {
    /// A message cannot be sent, which is not a peer that cannot be reached.
    case notSent = "not-sent"
    /// A name means several people or groups.
    case ambiguous = "ambiguous-person"
    /// An account of this name is on this machine already.
    case accountExists = "account-exists"
    /// Another account has this name.
    case nameTaken = "name-taken"
    /// The recipient has changed since numbers were compared, or may be written to only once they are.
    case identity
    /// There is no hook of this name.
    case noHook = "no-hook"
    /// There is no such event.
    case noEvent = "no-event"
    /// The program of a hook did not handle an event.
    case hookFailed = "hook-failed"
  }

  static func usage(_ message: String, advice: String? = nil) -> CommandFailure {
    CommandFailure(status: .usage, message: message, advice: advice)
  }

  static func data(_ message: String, advice: String? = nil) -> CommandFailure {
    CommandFailure(status: .data, message: message, advice: advice)
  }
}

extension CommandFailure {
  /// The failure of a command, from whatever it threw; `subject` says what was being read.
  init(_ error: any Error, subject: String? = nil) {
    switch error {
    case let failure as CommandFailure:
      self = failure
    case let error as SessionError:
      self.init(
        status: ExitCode(error.code),
        message: (subject.map { $0 + ": " } ?? "") + error.message,
        advice: error.phraseMistake?.advice ?? error.code.advice)
    case let error as FileError:
      self.init(SessionError(error), subject: subject)
    case let mistake as Configuration.Mistake:
      self = .data(mistake.message, advice: mistake.advice)
    case let failure as ServiceFailure:
      self.init(status: ExitCode(failure), message: failure.description, advice: failure.advice)
    case let failure as CommunityBackupFailure:
      self.init(status: ExitCode(failure), message: failure.description)
    case let failure as CommunityImportFailure:
      self.init(status: ExitCode(failure), message: failure.description)
    case let failure as NodeFailure:
      self.init(status: ExitCode(failure), message: failure.description, advice: failure.advice)
    case let error as HTTPError:
      self.init(status: ExitCode(error), message: error.description, advice: error.advice)
    case let error as StorageError:
      self.init(status: ExitCode(error.code), message: error.message, advice: error.code.advice)
    case let error as MessengerError:
      self.init(status: ExitCode(error.code), message: error.message, advice: error.code.advice)
    case let error as JobError:
      self.init(status: .software, message: error.message)
    case let failure as NetworkFailure:
      self.init(status: .unavailable, message: failure.description)
    case let error as RPCError:
      self.init(status: ExitCode(error), message: error.message, advice: error.advice ?? error.hint)
      messageID = error.details.first { $0.name == "message_id" }?.value.integer
    case is CancellationError:
      self.init(status: .interrupted, message: "interrupted; nothing was written")
    default:
      self.init(status: .software, message: "\(error)")
    }
  }
}

extension ExitCode {
  init(_ code: SessionError.Code) {
    switch code {
    case .fileUnreadable: self = .noInput
    case .fileExists, .fileUncreatable: self = .cannotCreate
    case .fileForbidden: self = .permission
    case .fileUnwritable, .diskFull: self = .io
    case .readerGone: self = .readerGone
    case .noMemory, .noRandomness: self = .system
    case .argument, .state, .sink: self = .software
    case .address, .requestTooLarge, .requestName: self = .data
    case .requestCancelled: self = .interrupted
    case .archiveWrongKey, .archiveNoSlot: self = .configuration
    case .socketInUse, .socketAddress, .socketPermission, .system, .systemLimit: self = .system
    default: self = code.family == .network ? .unavailable : .data
    }
  }
}

extension ExitCode {
  init(_ failure: NodeFailure) {
    switch failure {
    case .damagedStore: self = .data
    default: self = .unavailable
    }
  }

  /// The status that the command of a method would have ended with.
  init(_ error: RPCError) {
    switch error.code {
    case -32700: self = .data
    case -32602 ... -32600: self = .usage
    // The events that a reader asks for are not kept any more.
    case 79: self = .data
    default: self = ExitCode(rawValue: Int32(clamping: error.code)) ?? .software
    }
  }

  init(_ failure: ServiceFailure) {
    switch failure {
    case .damagedFiles: self = .data
    default: self = .unavailable
    }
  }

  init(_ failure: CommunityBackupFailure) {
    switch failure {
    case .alreadyRunning: self = .unavailable
    case .folderInUse: self = .cannotCreate
    case .passphraseNeeded, .keyMissing: self = .configuration
    default: self = .data
    }
  }

  init(_ failure: CommunityImportFailure) {
    switch failure {
    case .notFound, .key: self = .noInput
    case .isRunning: self = .unavailable
    case .folderInUse: self = .cannotCreate
    case .otherDatabase, .address, .tooOld, .damaged: self = .data
    case .placesNeeded: self = .usage
    }
  }

  init(_ error: HTTPError) {
    switch error {
    case .addressInUse, .cannotListen, .certificate: self = .system
    case .tooLarge, .url, .header: self = .data
    case .cancelled: self = .interrupted
    default: self = .unavailable
    }
  }
}

extension RPCError {
  /// What its details advise.
  fileprivate var hint: String? {
    let details = JSONValue.object(details)
    if let nearest = details["nearest"]?.string { return "Did you mean \(nearest)?" }
    guard case .array(let accounts)? = details["accounts"], !accounts.isEmpty else { return nil }
    return "The accounts are: " + accounts.compactMap(\.string).joined(separator: ", ")
  }
}

extension HTTPError {
  fileprivate var advice: String? {
    switch self {
    case .addressInUse: "Choose another port; 0 lets the system choose."
    case .cannotListen: "Choose an address of this machine and a port that you may use."
    case .certificate: "Check the certificate and its key, or remove both; new ones are then created."
    default: nil
    }
  }
}

extension ServiceFailure {
  fileprivate var advice: String? {
    switch self {
    case .notRunning: "Start it with --config FILE: 'session node run' or 'session node registry run'."
    case .folderInUse:
      "One process at a time can use a folder: end the other one, or wait until it has ended."
    case .damagedFiles: "Restore the file from a backup, or move it away to start with no files."
    case .listening: "Choose another address or port; another program listens there."
    default: nil
    }
  }
}

extension NodeFailure {
  fileprivate var advice: String? {
    switch self {
    case .shrunkenList:
      "If the operator confirms the list, set confirm_shrunken_list = true and restart the node."
    case .noDevnet: "To start one, run: session devnet up"
    case .devnetRuns: "To stop it, run: session devnet down"
    case .damagedStore:
      "Move the file away and restart: the other members of the swarm send their messages again."
    case .clock: "Set the clock of this machine."
    case .hasLeft: "Remove the file to let the node join again."
    case .allowListMissing: "Write it again, or restore it from a backup."
    case .allowList: "Correct the line, or comment it out with #."
    default: nil
    }
  }
}

extension RecoveryPhrase.Mistake {
  fileprivate var advice: String? {
    guard !suggestions.isEmpty else { return nil }
    let words = suggestions.joined(separator: ", ")
    return "Word \(number) is not in the list; the nearest words of the list are: \(words)"
  }
}

extension SessionError.Code {
  fileprivate var advice: String? {
    switch self {
    case .truncated: "The end of the input is missing."
    case .archiveNoSlot: "'session archive verify FILE --header' shows what opens it."
    case .archiveWrongKey:
      "Check the passphrase or key, and which account the archive is of: --account or --phrase."
    case .archiveDowngrade: "Update this program."
    case .decrypt: "It was encrypted for another account, or was changed or truncated."
    case .phraseBadGroup, .phraseChecksum: "Compare the words, and their order, with what you wrote down."
    case .phraseTooShort: "Give all 13 words."
    case .fileUnreadable: "Check the name, and that it is a file that you can read."
    case .fileForbidden: "Check its permissions, and those of its folder, with 'ls -ld PATH'."
    case .fileUncreatable: "Check that the folder exists and that you can write to it."
    case .diskFull: "Free disk space and run the command again."
    case .fileExists: "Choose another name, or remove the file first."
    case .fileDamaged: "Fetch the file again, and check that the pointer belongs to it."
    case .quicKey:
      "Another peer has this address, or the key is wrong: compare both with the output of the peer."
    case .quicProtocol: "The peer speaks another protocol; --alpn names it."
    case .quicUnreachable: "Check the address, that the peer runs, and that no firewall blocks UDP."
    case .requestTimeout: "The peer was reached but did not reply; --timeout waits longer."
    case .socketInUse: "Choose another port; 0 lets the system choose."
    case .socketAddress: "Choose an address of this machine."
    case .fileTooLarge: "Servers take files of up to 10 MB; --any-size lifts the limit."
    default: nil
    }
  }
}

extension CommandFailure {
  /// The text for standard error.
  func lines(asJSON: Bool) -> [String] {
    guard asJSON else { return ["session: \(message)"] + (advice.map { [$0] } ?? []) }
    var object: JSONObject = [
      "type": .string("failure"), "status": .integer(UInt64(status.rawValue)), "kind": .string(kind),
      "text": .string(message),
    ]
    object["advice"] = advice.map { .string($0) }
    object["message_id"] = messageID.map { .integer(UInt64($0)) }
    return [object.text]
  }

  var kind: String { detail?.rawValue ?? status.name }
}

extension JSONForm {
  static let failure = JSONForm(
    name: "failure", summary: "why a command was not done",
    members: [
      .type("failure"), .required("status", .number, "the exit code"),
      .required(
        "kind",
        .word(
          ExitCode.allCases.filter { $0 != .success && $0 != .readerGone }.map(\.name)
            + CommandFailure.Detail.allCases.map(\.rawValue)),
        "the exit code as a word; session(1) explains the codes"),
      .required("text", .text, "what happened"),
      .optional("advice", .text, "what to do about it"),
      .optional("message_id", .number, "the message that was kept although the command failed"),
    ])
}
