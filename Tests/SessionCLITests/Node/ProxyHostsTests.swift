import SessionNode
import Testing

@testable import SessionCLI

/// Which servers a node passes requests on to, as its configuration says.
@Suite struct ProxyHostsTests {
  private let base = "folder = \".\"\nlisten = \"127.0.0.1:0\"\nnetwork = \"n.json\"\n"

  private func options(_ text: String) throws -> NodeService.Options {
    let text = base + text
    return try NodeConfiguration("c.toml", io: .reading(text)).options
  }

  @Test func hostsAreThoseOfTheConfiguration() throws {
    #expect(try options("").proxyHosts.isEmpty)
    let options = try options(
      "proxy_hosts = [\"files.example:80\", \"*.other\"]\nproxy_private_addresses = true\n")
    #expect(options.proxyHosts == [HostRule("files.example:80"), HostRule("*.other")])
    #expect(options.proxiesToPrivateAddresses)
  }

  @Test(arguments: [
    "proxy_hosts = [\"a b\"]\n", "proxy_hosts = \"*\"\n",
    "proxy_hosts = [\"files.example\", \"*\"]\nproxy_private_addresses = true\n",
  ])
  func invalidProxyHostsAreRefused(text: String) {
    #expect { try options(text) } throws: { CommandFailure($0).status == .data }
  }
}
