import SessionCore
import SessionHTTP
import SessionService
import SessionStorage

/// The setting of the proxy for what is plain HTTPS: previews of links, and servers that are contacted directly. Requests to nodes are datagrams, which no
/// proxy of this kind carries.
enum ProxySetting: Hashable, Sendable {
  case none
  /// What the variables of the environment say.
  case environment
  case fixed(HTTPProxy)

  init(_ text: String) throws(HTTPProxy.Mistake) {
    self = text == "environment" ? .environment : .fixed(try HTTPProxy(parsing: text))
  }

  /// What a value should be, after one that is none.
  static func expected(after mistake: HTTPProxy.Mistake) -> String {
    switch mistake {
    case .leaksNames: "socks5h://HOST:PORT; socks5 would look names up where others see them"
    case .password: "without a user and password; the file proxy-auth beside it has them, each on a line"
    case .other: "socks5h://HOST:PORT, http://HOST:PORT or environment"
    }
  }
}

/// How sites of the web are reached, and which of them may be.
struct SiteAccess: Sendable {
  /// The proxy through which requests to a host go; nil for none.
  let proxy: @Sendable (_ host: String) -> HTTPProxy?
  let rules: LinkRules
}

extension CommandIO {
  private static let maxLogin = 1024

  /// The settings for requests to sites; those of the server for a served command. Throws for settings that are
  /// unclear: then no site is contacted.
  func siteAccess() throws(CommandFailure) -> SiteAccess {
    if let servedSites { return try servedSites() }
    return SiteAccess(proxy: try proxies(), rules: LinkRules(blocked: settings.previewBlocked))
  }

  /// The proxy for requests to a host over HTTPS.
  func proxies() throws(CommandFailure) -> @Sendable (_ host: String) -> HTTPProxy? {
    switch settings.proxy {
    case .none: return { _ in nil }
    case .fixed(let proxy):
      let proxy = try withLogin(proxy)
      return { _ in proxy }
    case .environment: return try environmentProxies()
    }
  }

  private func environmentProxies() throws(CommandFailure) -> @Sendable (String) -> HTTPProxy? {
    func value(_ name: String) -> String? {
      let value = environment[name.lowercased()] ?? environment[name] ?? ""
      return value.isEmpty ? nil : value
    }
    guard let text = value("HTTPS_PROXY") ?? value("ALL_PROXY") else { return { _ in nil } }
    let proxy: HTTPProxy
    do throws(HTTPProxy.Mistake) { proxy = try HTTPProxy(parsing: text) } catch {
      throw CommandFailure(
        status: .configuration, message: "the proxy of the environment cannot be used",
        advice: "HTTPS_PROXY or ALL_PROXY is \(ProxySetting.expected(after: error)).")
    }
    let chosen = try withLogin(proxy)
    let direct = LinkRules.hosts(in: value("NO_PROXY") ?? "").map {
      $0.hasPrefix(".") ? String($0.dropFirst()) : $0
    }
    return { host in
      let host = host.lowercased()
      return direct.contains { $0 == "*" || host == $0 || host.hasSuffix("." + $0) } ? nil : chosen
    }
  }

  /// The proxy with the user and password of the file `proxy-auth` in the folder of settings, if it is there.
  private func withLogin(_ proxy: HTTPProxy) throws(CommandFailure) -> HTTPProxy {
    let path = try roots().config + "/proxy-auth"
    guard try Configuration.isOwn(path) else { return proxy }
    let bytes = try readSecret(path, upTo: Self.maxLogin)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
    guard lines.count == 2 else {
      throw .data(
        "\(path) does not have two lines", advice: "The first is the user, the second the password.")
    }
    var proxy = proxy
    (proxy.user, proxy.password) = (String(lines[0]), String(lines[1]))
    return proxy
  }
}
