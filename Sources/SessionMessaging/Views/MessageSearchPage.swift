import SessionStorage

/// Messages that were found.
public struct MessageSearchPage: Sendable {
  public let messages: [MessageView]
  let place: SearchPlace?

  /// Whether there are more, which are asked for with this page.
  public var hasMore: Bool { place != nil }
}
