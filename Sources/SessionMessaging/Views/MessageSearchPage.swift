import SessionStorage

/// One page of search results.
public struct MessageSearchPage: Sendable {
  public let messages: [MessageView]
  let place: SearchPlace?

  /// True if there are more, which are asked for with this page.
  public var hasMore: Bool { place != nil }
}
