import SessionMessaging
import SessionStorage

extension ExitCode {
  init(_ code: StorageError.Code) {
    switch code {
    case .full, .io: self = .io
    case .locked, .busy, .overloaded: self = .temporary
    case .passphraseNeeded, .wrongPassphrase, .keyMissing, .unconfirmed: self = .configuration
    case .readOnly: self = .permission
    case .cannotOpen: self = .cannotCreate
    default: self = .data
    }
  }

  init(_ code: MessengerError.Code) {
    switch code {
    case .noAccount, .accountExists: self = .configuration
    case .noConversation, .noMessage, .noJob, .jobNotCancellable, .blocked, .invalidRecipient, .notAllowed,
      .keyConflict, .fileUnavailable:
      self = .data
    case .notReady, .readOnly: self = .software
    case .unknownTime: self = .system
    }
  }
}

extension StorageError.Code {
  var advice: String? {
    switch self {
    case .locked:
      "One program at a time works on an account: end the other first, or wait until it has ended."
    case .cannotOpen, .readOnly:
      "Check that it belongs to you, and that you may read and write it and its folder."
    case .missing:
      """
      'session account export-phrase' looks for the recovery phrase in every copy that is left. With the phrase, 'session \
      account restore' makes the account again.
      """
    case .full: "Make room on the disk, and do it again: what was to be stored was not stored."
    case .corrupt, .wrongKey, .notADatabase:
      """
      'session db salvage --replace' saves what can be read. Where nothing can be, 'session account export-phrase' looks \
      for the recovery phrase in every copy that is left, and 'session account restore' makes the account again from it; \
      your other devices still have the messages.
      """
    case .passphraseSet: "'session db passphrase change' changes it."
    case .passphraseNotSet: "'session db passphrase set' sets one."
    case .wrongPassphrase: "Run the command again; nothing was changed."
    case .unconfirmed:
      "Commands that only read change nothing: run 'session receive', which brings the database up to date."
    default: nil
    }
  }
}

extension MessengerError.Code {
  var advice: String? {
    switch self {
    case .accountExists: "Choose another name, or delete the account that is there."
    case .noConversation: "'session chats' lists the conversations."
    case .noJob: "'session jobs list' shows them."
    case .jobNotCancellable: "'session jobs retry' has it done now."
    case .noMessage: "'session show CHAT' shows the numbers of messages."
    case .keyConflict: "Use another key for another message."
    case .blocked: "'session contacts unblock' lets them in again."
    default: nil
    }
  }
}
