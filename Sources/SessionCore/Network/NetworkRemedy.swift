internal import CSessionCore

/// What may help after a request has failed.
public enum NetworkRemedy: Hashable, Sendable {
  /// The request is wrong and will be refused again.
  case correctTheRequest
  /// The signer is not, or no longer, authorised: perhaps a removed member of a group.
  case checkTheRights
  /// The clock was wrong. It is known better now: make the request again, with new times and signatures.
  case signAgain
  /// Another node or another path may do it: try again, at most a few times.
  case tryAgain
  /// Nodes have too much to do: try again after a while.
  case tryLater
  /// There is no way to the network: check the connection of this machine, and the seeds of the network.
  case connect
  /// The network is suspended, or has stopped.
  case resume
}

extension SessionError {
  /// What may help, where a request through the network failed; nil when it was cancelled, and for errors that are not
  /// the network's.
  public var remedy: NetworkRemedy? {
    switch code {
    case .requestFailed: refusal.map { NetworkRemedy(answer: Int($0.code)) }
    case .networkClock: .signAgain
    case .networkSuspended, .networkClosed, .runtimeStopped: .resume
    case .networkNoNodes, .networkNoPath, .noSeeds, .noSwarm, .networkUnknownNode: .connect
    case .networkFull, .runtimeBusy: .tryLater
    case .requestTimeout, .networkPath, .networkUnreachable, .networkDestination, .onionUnauthenticated,
      .onionReply, .storageReply, .storageNodeSignature, .storageSwarm:
      .tryAgain
    case .storageParameter, .storageBatch, .onionRequest, .onionURL, .tooLarge: .correctTheRequest
    case .requestCancelled: nil
    default: code.family == .network ? .tryAgain : nil
    }
  }

  /// What a node answered instead of a reply.
  init(refusedWith code: Int, _ body: [UInt8]) {
    let refusal = NetworkRefusal(code: UInt16(clamping: code), body: body)
    let words = refusal.words
    self.init(
      .requestFailed, "the node refused the request with \(code)" + (words.isEmpty ? "" : ": \(words)"),
      refusal: refusal)
  }
}

extension NetworkRemedy {
  /// By the code that a node or server answered.
  fileprivate init(answer code: Int) {
    self =
      switch code {
      case 401: .checkTheRights
      case 406, 425: .signAgain
      case 408, 421, 500, 502, 504: .tryAgain
      case 429, 503: .tryLater
      default: .correctTheRequest
      }
  }
}

extension NetworkRefusal {
  private static let maxWords = 200

  /// The reply as words that may be shown, if it is no document: strangers write it.
  fileprivate var words: String {
    guard body.first != UInt8(ascii: "{"), let text = String(validating: body, as: UTF8.self) else {
      return ""
    }
    let shown = text.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
      .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
    var words = String.UnicodeScalarView()
    words.append(contentsOf: shown.prefix(Self.maxWords))
    return Name.trimmed(String(words))
  }
}
