public import SessionNetworking

extension Files {
  /// The newest versions of those programs of which the file server knows one.
  func versions(of platforms: [String]) async throws -> [PublishedVersion] {
    let (_, client) = try require()
    var found: [PublishedVersion] = []
    for platform in platforms.prefix(Self.maxPlatforms) {
      if let version = try await client.version(of: platform) { found.append(version) }
    }
    return found
  }

  private static let maxPlatforms = 8
}

extension Messenger {
  /// Asks the file server of the network for the newest versions of programs, without saying who asks. Those of which it
  /// knows nothing are left out.
  public nonisolated func publishedVersions(of platforms: [String]) async throws -> [PublishedVersion] {
    guard case .versions(let versions) = try await perform(.account(.versions(of: platforms))) else {
      throw MessengerError.unexpectedReply
    }
    return versions
  }
}
