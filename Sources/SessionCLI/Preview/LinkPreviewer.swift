import SessionBase
import SessionCore
import SessionHTTP
import SessionMessaging

/// Asks the site of a link for what a preview shows. The site, or the proxy, sees the address of this machine.
struct LinkPreviewer: Sendable {
  var client = HTTPClient.Options()
  let rules: LinkRules
  /// How long all of it may take.
  var timeout = Duration.seconds(10)
  var imageTimeout = Duration.seconds(5)

  private static let userAgent = "Mozilla/5.0 (compatible; session)"
  private static let maxRedirects = 3
  private static let maxPage = 512 << 10
  private static let maxImage = 1 << 20
  private static let maxTitle = 200
  /// The longest text of a page that is looked at, in bytes.
  private static let maxText = 8192

  /// Why a link has no preview.
  struct Failure: Error, Hashable {
    let reason: String
  }

  init(_ access: SiteAccess) {
    rules = access.rules
    client.proxy = access.proxy
    client.admits = { AddressReach($0) == .global }
    client.connectTimeout = .seconds(5)
    client.maxHead = 64 << 10
    client.userAgent = Self.userAgent
  }

  /// Returns the preview of a link, as it stands in the text. Throws why there is none.
  func preview(of link: String) async throws(Failure) -> OutgoingText.Preview {
    let end = ContinuousClock.now + timeout
    let client: HTTPClient
    do { client = try HTTPClient(options: self.client) } catch { throw Failure(reason: "\(error)") }
    let outcome: Result<OutgoingText.Preview, Failure>
    do throws(Failure) {
      outcome = .success(try await preview(of: link, client, until: end))
    } catch {
      outcome = .failure(error)
    }
    await client.stop()
    return try outcome.get()
  }

  private func preview(
    of link: String, _ client: HTTPClient, until end: ContinuousClock.Instant
  ) async throws(Failure) -> OutgoingText.Preview {
    let start = try url(link) { () throws(HTTPError) in try PageURL(parsing: link) }
    let (page, reply) = try await get(start, client, until: end) { request in
      request.headers["Accept"] = "text/html"
      request.headers["Accept-Language"] = "en"
      request.takesCompressed = true
      request.takesBeginning = true
      request.maxReply = Self.maxPage
      request.isEnough = { PageHead.endsHead(in: $0) }
    }
    let (type, charset) = ContentKind.parse(reply.headers["content-type"] ?? "")
    guard type == "text/html" || type == "application/xhtml+xml" else {
      throw Failure(reason: "the address leads to no web page")
    }
    let head = PageHead(reply.body)
    let named = String(decoding: head.charset, as: UTF8.self)
    let encoding = charset.map { CharacterEncoding.isKnown($0) ? $0 : named } ?? named
    func text(_ bytes: [UInt8]) -> String {
      PageHead.text(
        CharacterEncoding.utf8(Array(bytes.prefix(Self.maxText)), from: encoding), upTo: Self.maxText)
    }
    let titles = [head.graphTitle, head.cardTitle, head.title].map { Self.title(text($0)) }
    let image =
      head.graphImage.isEmpty ? nil : await image(text(head.graphImage), of: page, client, until: end)
    return OutgoingText.Preview(
      url: link, title: titles.first { !$0.isEmpty } ?? page.host, image: image, isMade: true)
  }

  /// The image of a page, which a preview can do without.
  private func image(
    _ reference: String, of page: PageURL, _ client: HTTPClient, until end: ContinuousClock.Instant
  ) async -> OutgoingFile? {
    do throws(Failure) {
      let address = try url(reference) { () throws(HTTPError) in
        try page.resolving(reference.trimmingBlanks)
      }
      let (_, reply) = try await get(
        address, client, until: min(end, ContinuousClock.now + imageTimeout)
      ) { request in
        request.headers["Accept"] = "image/jpeg,image/png,image/webp,image/gif"
        request.maxReply = Self.maxImage
      }
      return OutgoingFile.previewImage(reply.body)
    } catch {
      return nil
    }
  }

  /// Asks for a page, and for the one that it leads to.
  private func get(
    _ start: PageURL, _ client: HTTPClient, until end: ContinuousClock.Instant,
    _ change: (inout HTTPClient.Request) -> Void
  ) async throws(Failure) -> (PageURL, HTTPClient.Reply) {
    var page = start
    for _ in 0...Self.maxRedirects {
      do throws(LinkRules.Refusal) { try rules.check(page) } catch { throw Failure(reason: error.reason) }
      let left = end - ContinuousClock.now
      guard left > .zero else { throw Failure(reason: "no reply in time") }
      var request = HTTPClient.Request(.get, page.text)
      change(&request)
      request.timeout = left
      let reply: HTTPClient.Reply
      do { reply = try await client.send(request) } catch { throw Failure(reason: "\(error)") }
      switch reply.status {
      case 200: return (page, reply)
      case 301, 302, 303, 307, 308:
        guard let place = reply.headers["location"] else {
          throw Failure(reason: "the site replied with \(reply.status)")
        }
        let from = page
        page = try url(place) { () throws(HTTPError) in try from.resolving(place.trimmingBlanks) }
      default: throw Failure(reason: "the site replied with \(reply.status)")
      }
    }
    throw Failure(reason: "the site sends requests from address to address")
  }

  private func url(
    _ text: String, _ parse: () throws(HTTPError) -> PageURL
  ) throws(Failure) -> PageURL {
    do throws(HTTPError) { return try parse() } catch {
      throw Failure(reason: "not an address of a web page")
    }
  }

  /// A title on one line, without characters that control a terminal or turn the text around.
  static func title(_ text: String) -> String {
    var title = ""
    var isBlank = false
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        isBlank = !title.isEmpty
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: continue
      // Joiners make words and emoji of some languages; the other marks of this kind are invisible.
      case .format where scalar != "\u{200D}" && scalar != "\u{200C}": continue
      default: break
      }
      guard title.unicodeScalars.count + (isBlank ? 2 : 1) <= maxTitle else { break }
      if isBlank { title.unicodeScalars.append(" ") }
      isBlank = false
      title.unicodeScalars.append(scalar)
    }
    return title
  }
}

/// A media type of a header, with its character encoding.
private enum ContentKind {
  static func parse(_ header: String) -> (type: String, charset: String?) {
    let parts = header.split(separator: ";").map { String($0).trimmingBlanks }
    let charset = parts.dropFirst().first { $0.lowercased().hasPrefix("charset=") }
    return (
      (parts.first ?? "").lowercased(),
      charset.map { String($0.dropFirst("charset=".count).filter { !"\"'".contains($0) }) }
    )
  }
}

extension PageHead {
  /// True if the end of the head is there, so that no more of the page is needed.
  fileprivate static func endsHead(in page: [UInt8]) -> Bool {
    // A reading of all of it costs more than looking at what came since the last time: whether it is there at all.
    let newest = page.suffix(page.count / 4 + (32 << 10))
    guard newest.containsIgnoringCase("</head") || newest.containsIgnoringCase("<body") else { return false }
    return PageHead(page).isWhole
  }
}

extension ArraySlice<UInt8> {
  /// True if it contains a word of lower-case ASCII, in any case.
  fileprivate func containsIgnoringCase(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      guard count >= word.count else { return false }
      return (startIndex...(endIndex - word.count)).contains { start in
        zip(self[start...], word).allSatisfy { $0 | ($0 >= 0x41 && $0 <= 0x5A ? 0x20 : 0) == $1 }
      }
    }
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0.isWhitespace }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
