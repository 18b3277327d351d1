import SessionStorage
import Synchronization

/// Work that waits for the runner. Adding to an empty inbox must wake the runner.
final class JobInbox: Sendable {
  private let mail = Mutex(JobScheduler.Mail())

  var isEmpty: Bool { mail.withLock { $0.isEmpty } }

  func post(_ id: JobRecord.ID, _ conclusion: JobConclusion) -> Bool {
    post { $0.conclusions.append((id, conclusion)) }
  }

  func post(_ changes: ChangeSet) -> Bool {
    post { mail in
      mail.isEverything = mail.isEverything || changes.isExternal
      for key in changes.changes.keys where key.topic == ObservationKey.jobRequests.topic {
        switch key.subject {
        case .row(let row)?: mail.requests.insert(JobRecord.ID(rawValue: row))
        case .name?, nil: mail.isEverything = true
        }
      }
    }
  }

  /// Puts back events that could not be processed.
  func putBack(_ before: JobScheduler.Mail) {
    mail.withLock { mail in
      mail.conclusions = before.conclusions + mail.conclusions
      mail.requests.formUnion(before.requests)
      mail.isEverything = mail.isEverything || before.isEverything
    }
  }

  func take() -> JobScheduler.Mail {
    mail.withLock { mail in
      defer { mail = JobScheduler.Mail() }
      return mail
    }
  }

  private func post(_ change: (inout JobScheduler.Mail) -> Void) -> Bool {
    mail.withLock { mail in
      let wasEmpty = mail.isEmpty
      change(&mail)
      return wasEmpty && !mail.isEmpty
    }
  }
}
