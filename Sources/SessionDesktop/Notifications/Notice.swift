/// Something to notify a person of.
package struct Notice: Hashable, Sendable {
  package enum Category: Hashable, Sendable {
    case message
    /// A stranger wrote.
    case request
    /// An invitation to a group.
    case invitation
    /// A message was not sent.
    case failure
    case missedCall
    /// An account needs its passphrase.
    case locked
  }

  package let place: NoticePlace
  package let category: Category
  /// The id of the conversation that it is about; empty if there is none.
  package var conversation = ""
  /// The message that it is about.
  package var message: Int64?
  /// The person who did it; empty if that is said elsewhere.
  package var author = ""
  /// What was written, on one line.
  package var text = ""
  package var mentionsUs = false
  /// True if the message disappears.
  package var hasTimer = false
  /// The place of its event among those of the account.
  package var cursor: Int64?
  /// True if it happened long before it was heard of.
  package var isLate = false

  package init(_ category: Category, at place: NoticePlace) {
    (self.category, self.place) = (category, place)
  }
}

/// What one notification stands for: a new one replaces the one that is there.
package struct NoticePlace: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    /// By its id.
    case conversation(String)
    /// All message requests.
    case requests
    /// A message that was not sent.
    case failure(Int64)
    /// An answer of the person that was not sent, by its key.
    case answer(String)
    /// The account itself.
    case account
    /// What happened while nothing was shown.
    case summary
  }

  package let account: String
  package let subject: Subject

  package init(_ account: String, _ subject: Subject) { (self.account, self.subject) = (account, subject) }

  /// Its text in a file.
  var name: String {
    switch subject {
    case .conversation(let id): "\(account)\nconversation\n\(id)"
    case .requests: "\(account)\nrequests"
    case .failure(let message): "\(account)\nfailure\n\(message)"
    case .answer(let key): "\(account)\nanswer\n\(key)"
    case .account: "\(account)\naccount"
    case .summary: "\(account)\nsummary"
    }
  }
}
