import SessionMessaging
import SessionStorage

extension ExitCode {
  init(_ code: StorageError.Code) {
    switch code {
    case .full, .io: self = .io
    case .locked, .busy, .overloaded: self = .temporary
    case .passphraseNeeded, .wrongPassphrase, .keyMissing, .unconfirmed: self = .configuration
    case .unreachable: self = .unavailable
    case .readOnly, .denied: self = .permission
    case .cannotOpen: self = .cannotCreate
    default: self = .data
    }
  }

  init(_ code: MessengerError.Code) {
    switch code {
    case .noAccount, .accountExists: self = .configuration
    case .noConversation, .noMessage, .noJob, .jobNotCancellable, .blocked, .noGroup, .noRoom, .keyDiffers,
      .notMember,
      .lastAdmin, .lastMember, .isAdmin, .alreadyMember, .groupFull, .groupDestroyed, .invalidName,
      .invalidRecipient, .notAllowed,
      .keyConflict, .unknownCursor, .fileUnavailable:
      self = .data
    case .notAdmin, .identity: self = .permission
    case .security: self = .unavailable
    case .serverFailed: self = .unavailable
    case .removalPending, .groupNotReady, .groupExpired, .accessLost: self = .temporary
    case .notReady, .readOnly: self = .software
    case .unknownTime, .tooManyReaders: self = .system
    case .outcomeUnknown: self = .outcomeUnknown
    }
  }
}

extension StorageError.Code {
  var advice: String? {
    switch self {
    case .locked:
      "The other program does not serve this one: end it, or wait until it has ended."
    case .cannotOpen, .readOnly:
      "Check that it belongs to you, and that you may read and write it and its folder."
    case .missing:
      """
      'session account export-phrase' looks for the recovery phrase in every copy that is left. With the phrase, 'session \
      account restore' restores the account.
      """
    case .full: "Free disk space and run the command again; nothing was stored."
    case .corrupt, .wrongKey, .notADatabase:
      """
      'session db salvage --replace' saves what can be read. Where nothing can be, 'session account export-phrase' looks \
      for the recovery phrase in every copy that is left, and 'session account restore' makes the account again from it; \
      your other devices still have the messages.
      """
    case .passphraseSet: "To change it, run: session db passphrase change"
    case .passphraseNotSet: "To set one, run: session db passphrase set"
    case .slotMissing: "'session key list' shows the slots."
    case .slotFailed: "'session key list' shows which slots work."
    case .lastSlot: "Add another slot first: session key add"
    case .wrongPassphrase: "Run the command again; nothing was changed."
    case .unconfirmed:
      "Commands that only read cannot migrate the database; run: session receive"
    default: nil
    }
  }
}

extension MessengerError.Code {
  var advice: String? {
    switch self {
    case .accountExists: "Choose another name, or delete the existing account."
    case .noConversation: "'session chats' lists the conversations."
    case .noRoom, .keyDiffers: "Compare the link with the one that its community publishes."
    case .noGroup: "'session group list' shows the groups."
    case .notAdmin: "'session group members GROUP' shows who is an admin: ask one of them."
    case .lastAdmin:
      """
      'session group promote GROUP MEMBER' makes somebody else an admin; 'session group delete GROUP --yes' deletes the group for \
      everyone.
      """
    case .lastMember: "Run: session group delete GROUP --yes"
    case .isAdmin, .alreadyMember: "'session group members GROUP' shows the members."
    case .noJob: "'session jobs list' shows them."
    case .jobNotCancellable: "To run it now, use 'session jobs retry'."
    case .noMessage: "'session show CHAT' shows the numbers of messages."
    case .keyConflict: "Use another key for another message."
    case .unknownCursor: "'session receive --since 0' shows every event that is kept."
    case .identity: "'session verify show PERSON' shows the number to compare."
    case .security: "'session security show PERSON' shows what is in the way."
    case .blocked: "To unblock them, use 'session contacts unblock'."
    default: nil
    }
  }
}
