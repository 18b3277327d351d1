import SessionStorage

/// One page of search results.
public struct MessageSearchPage: Sendable {
  public let messages: [MessageView]
  let place: SearchPlace?

  /// True if there are more, which this page leads to.
  public var hasMore: Bool { place != nil }
}
