internal import CSessionCore

/// What the head of a web page says for the preview of a link. The texts are as the page has them: in its encoding, with
/// references such as `&amp;`.
public struct PageHead: Hashable, Sendable {
  /// The character encoding that the page names; empty without one, as the others are.
  public let charset: [UInt8]
  public let title: [UInt8]
  public let graphTitle: [UInt8]
  public let graphImage: [UInt8]
  public let cardTitle: [UInt8]
  /// True if the head ends within the page.
  public let isWhole: Bool

  public init(_ page: some Collection<UInt8>) {
    let texts = try? page.lend { (page) throws(SessionError) in
      var head = sc_html_head()
      sc_html_head_read(&head, page)
      let parts = [head.charset, head.title, head.og_title, head.og_image, head.twitter_title]
      return (parts.map { Array(UnsafeBufferPointer(start: $0.ptr, count: $0.len)) }, head.is_whole)
    }
    let (parts, isWhole) = texts ?? ([[], [], [], [], []], false)
    (charset, title, graphTitle, graphImage, cardTitle) = (parts[0], parts[1], parts[2], parts[3], parts[4])
    self.isWhole = isWhole
  }

  /// A text of a page in UTF-8, with its references replaced, up to a number of bytes.
  public static func text(_ text: some Collection<UInt8>, upTo limit: Int) -> String {
    let bytes = try? text.lend { (text) throws(SessionError) in
      [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        count = buffer.baseAddress.map { sc_html_text($0, limit, text) } ?? 0
      }
    }
    return String(decoding: bytes ?? [], as: UTF8.self)
  }
}
