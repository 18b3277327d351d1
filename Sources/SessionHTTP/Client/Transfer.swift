internal import CHTTP
import Glibc
import SessionBase
import SessionCore
import Synchronization

/// One request of a client.
// Sendable without the compiler's check: from when it is posted only the client's thread uses it, apart from what is in
// the mutex.
final class Transfer: @unchecked Sendable {
  typealias Outcome = Result<HTTPClient.Reply, HTTPError>

  let url: TargetURL
  let deadline: ContinuousClock.Instant
  /// The proxy through which it goes.
  let proxy: HTTPProxy?
  /// libcurl's half, while it runs.
  private(set) var easy: UnsafeMutableRawPointer?
  var isOver: Bool { ending.withLock { $0.outcome != nil } }

  private let request: HTTPClient.Request
  private let options: HTTPClient.Options
  private let ending = Mutex(Ending())
  private var lists: [UnsafeMutablePointer<curl_slist>?] = []
  private var head = HTTPHeaders()
  private var headSize = 0
  private var body: [UInt8] = []
  /// The size of the body when the request was last asked whether it is enough.
  private var seen = 0
  /// Why this side ended it.
  private var failure: HTTPError?
  /// True if this side ended it because it has what it needs.
  private var hasEnough = false

  private static let minGrowth = 1024

  private struct Ending {
    var waiting: CheckedContinuation<Outcome, Never>?
    var outcome: Outcome?
  }

  init(_ request: HTTPClient.Request, _ options: HTTPClient.Options) throws(HTTPError) {
    url = try TargetURL(request.url)
    guard request.headers.fields.allSatisfy(\.isSendable), HTTPHeaders.Field.isToken(request.method.rawValue)
    else { throw .header }
    deadline = .now + request.timeout
    proxy = options.proxy(url.host)
    self.request = request
    self.options = options
  }

  deinit {
    if let easy { curl_easy_cleanup(easy) }
    for list in lists { curl_slist_free_all(list) }
  }

  /// Resumes the continuation when it ends, at once if it has.
  func wait(with waiting: CheckedContinuation<Outcome, Never>) {
    let outcome = ending.withLock { ending in
      if ending.outcome == nil { ending.waiting = waiting }
      return ending.outcome
    }
    if let outcome { waiting.resume(returning: outcome) }
  }

  /// Ends it. The first outcome counts.
  func end(_ outcome: Outcome) {
    let waiting = ending.withLock { ending -> CheckedContinuation<Outcome, Never>? in
      guard ending.outcome == nil else { return nil }
      ending.outcome = outcome
      defer { ending.waiting = nil }
      return ending.waiting
    }
    waiting?.resume(returning: outcome)
  }

  /// Ends it with libcurl's result.
  func end(_ code: CURLcode) {
    guard code == CURLE_OK || hasEnough, let easy else { return end(.failure(failure ?? Self.failure(code))) }
    var status = 0
    _ = http_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
    end(.success(HTTPClient.Reply(status: status, headers: head, body: body)))
  }

  private static func failure(_ code: CURLcode) -> HTTPError {
    let text = String(cString: curl_easy_strerror(code))
    return switch code {
    case CURLE_OPERATION_TIMEDOUT: .timeout
    case CURLE_FILESIZE_EXCEEDED: .tooLarge
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .untrusted(text)
    default: .unreachable(text)
    }
  }
}

// MARK: - Beginning

extension Transfer {
  /// Creates the libcurl handle, which may connect only to these addresses.
  func prepare(for addresses: [NetworkAddress]) throws(HTTPError) -> UnsafeMutableRawPointer {
    guard proxy != nil || !addresses.isEmpty else { throw .nameUnknown }
    guard addresses.allSatisfy(options.admits) else { throw .addressRefused }
    guard let easy = curl_easy_init() else { throw .busy }
    self.easy = easy
    http_set_url(easy, url.handle)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    // Neither the environment nor a file of the user has a say.
    set(CURLOPT_PROXY, proxy?.url ?? "")
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    if let proxy {
      setProxy(proxy)
    } else if url.address == nil {
      pin(addresses)
    }
    setTrust()
    setTimes()
    setRequest()
    let own = Unmanaged.passUnretained(self).toOpaque()
    http_set_opening(easy, Self.open)
    http_set_pointer(easy, CURLOPT_OPENSOCKETDATA, own)
    http_set_taking(easy, CURLOPT_WRITEFUNCTION, Self.takeBody)
    http_set_pointer(easy, CURLOPT_WRITEDATA, own)
    http_set_taking(easy, CURLOPT_HEADERFUNCTION, Self.takeHead)
    http_set_pointer(easy, CURLOPT_HEADERDATA, own)
    http_set_pointer(easy, CURLOPT_PRIVATE, own)
    return easy
  }

  private func pin(_ addresses: [NetworkAddress]) {
    let hosts = addresses.map(\.hostText).joined(separator: ",")
    setList(CURLOPT_RESOLVE, ["\(url.host):\(url.port):\(hosts)"])
  }

  private func setProxy(_ proxy: HTTPProxy) {
    // A tunnel for plain HTTP, too: the proxy then changes nothing.
    if proxy.kind == .http { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if let user = proxy.user { set(CURLOPT_PROXYUSERNAME, user) }
    if let password = proxy.password { set(CURLOPT_PROXYPASSWORD, password) }
  }

  private func setTrust() {
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    switch options.trust {
    case .system: break
    case .authorities(let file): set(CURLOPT_CAINFO, file)
    case .anyone:
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }

  private func setTimes() {
    let rest = max(Int((deadline - .now).milliseconds), 1)
    set(CURLOPT_TIMEOUT_MS, rest)
    set(CURLOPT_CONNECTTIMEOUT_MS, min(rest, max(Int(options.connectTimeout.milliseconds), 1)))
  }

  private func setRequest() {
    if let agent = options.userAgent { set(CURLOPT_USERAGENT, agent) }
    if request.method == .head { set(CURLOPT_NOBODY, 1) }
    if let body = request.body {
      http_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      body.withUnsafeBytes { bytes in
        let empty: StaticString = ""
        let start = bytes.baseAddress ?? UnsafeRawPointer(empty.utf8Start)
        _ = http_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
      }
    }
    set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    let lines = request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    // Waiting for the other side to agree to a body is worth no round trip; and it is no form of a web page.
    let isTyped = request.headers["Content-Type"] != nil
    setList(CURLOPT_HTTPHEADER, lines + ["Expect:"] + (isTyped ? [] : ["Content-Type:"]))
    if request.takesCompressed { set(CURLOPT_ACCEPT_ENCODING, "gzip") }
    if !request.takesBeginning {
      http_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.maxReply))
    }
  }

  private func set(_ option: CURLoption, _ value: Int) { http_set_number(easy, option, value) }
  private func set(_ option: CURLoption, _ value: String) { http_set_text(easy, option, value) }

  private func setList(_ option: CURLoption, _ lines: [String]) {
    let list = lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
    lists.append(list)
    http_set_list(easy, option, list)
  }
}

// MARK: - What libcurl calls

extension Transfer {
  private static func from(_ user: UnsafeMutableRawPointer?) -> Transfer {
    guard let user else { preconditionFailure("libcurl lost its transfer") }
    return Unmanaged.fromOpaque(user).takeUnretainedValue()
  }

  /// The final check of the address: nothing happens between this and the connection.
  private static let open: curl_opensocket_callback = { user, _, target in
    guard let target, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return -1 }
    // The address is longer than the field that it begins in.
    let address = (UnsafeRawPointer(target) + offset).assumingMemoryBound(to: sockaddr.self)
    let transfer = from(user)
    // With a proxy it is the address of that, which the user chose.
    guard
      NetworkAddress(address).map({ transfer.proxy != nil || transfer.options.admits($0) }) == true
    else {
      transfer.failure = .addressRefused
      return -1
    }
    return socket(
      target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
  }

  private static let takeHead: curl_write_callback = { line, size, count, user in
    let transfer = from(user)
    transfer.headSize += size * count
    guard transfer.headSize <= transfer.options.maxHead else {
      transfer.failure = .tooLarge
      return 0
    }
    transfer.take(String(decoding: UnsafeRawBufferPointer(start: line, count: size * count), as: UTF8.self))
    return size * count
  }

  private static let takeBody: curl_write_callback = { bytes, size, count, user in
    let transfer = from(user)
    let (request, piece) = (transfer.request, UnsafeRawBufferPointer(start: bytes, count: size * count))
    let room = request.maxReply - transfer.body.count
    guard piece.count <= room || request.takesBeginning else {
      transfer.failure = .tooLarge
      return 0
    }
    transfer.body += piece.prefix(room)
    // Another count than that of the piece ends the transfer.
    transfer.hasEnough = piece.count > room || transfer.isBodyEnough
    return transfer.hasEnough ? 0 : piece.count
  }

  /// True if the request has enough of the body. Finding out may read all of it, and so happens only after some growth.
  private var isBodyEnough: Bool {
    guard let isEnough = request.isEnough, body.count >= seen + max(Self.minGrowth, seen / 4) else {
      return false
    }
    seen = body.count
    return isEnough(body)
  }

  private func take(_ line: String) {
    // Each head begins with its status; those before the last are of answers that are none yet.
    if line.hasPrefix("HTTP/") { head = HTTPHeaders() }
    let sides = line.split(separator: ":", maxSplits: 1)
    guard sides.count == 2 else { return }
    head.append(String(sides[0]), sides[1].trimmed)
  }
}

extension Substring {
  fileprivate var trimmed: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
