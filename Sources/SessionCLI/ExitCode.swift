/// Exit codes; the numbers of `sysexits.h`.
public enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case usage = 64
  case data = 65
  case noInput = 66
  case noUser = 67
  case unavailable = 69
  case software = 70
  case system = 71
  case cannotCreate = 73
  case io = 74
  case temporary = 75
  /// Not in sysexits.h: a change may have been made or not.
  case outcomeUnknown = 76
  case permission = 77
  case configuration = 78
  /// Not in sysexits.h: the message is kept and will be sent, so the call must not be repeated.
  case queued = 80
  case interrupted = 130
  /// The code that a shell reports for SIGPIPE.
  case readerGone = 141

  /// Its name in JSON.
  var name: String {
    switch self {
    case .success: "success"
    case .usage: "usage"
    case .data: "data"
    case .noInput: "no-input"
    case .noUser: "no-user"
    case .unavailable: "unavailable"
    case .software: "software"
    case .system: "system"
    case .cannotCreate: "cannot-create"
    case .io: "io"
    case .temporary: "temporary"
    case .outcomeUnknown: "outcome-unknown"
    case .permission: "permission"
    case .configuration: "configuration"
    case .queued: "queued"
    case .interrupted: "interrupted"
    case .readerGone: "reader-gone"
    }
  }

  /// Its description in the help.
  var meaning: String {
    switch self {
    case .success: "success"
    case .usage: "invalid arguments or options"
    case .data: "the input is invalid"
    case .noInput: "an input file is missing or cannot be read"
    case .noUser: "no such contact, or several contacts fit the name"
    case .unavailable: "a peer cannot be reached or refuses the request"
    case .software: "an internal error: please report it"
    case .system: "a system resource is missing, such as memory"
    case .cannotCreate: "an output file cannot be created"
    case .io: "writing failed"
    case .temporary: "nothing was done; the same call may succeed later"
    case .outcomeUnknown: "the program that held the account ended: look whether the change was made"
    case .permission: "the permissions of a file or of a client do not allow it"
    case .configuration: "an account, or a setting of it, is missing or wrong"
    case .queued: "a message is kept and will be sent later: do not send it again"
    case .interrupted: "interrupted"
    case .readerGone: "the reader of the output closed it"
    }
  }
}
