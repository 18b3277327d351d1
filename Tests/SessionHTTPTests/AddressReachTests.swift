import SessionCore
import SessionHTTP
import Testing

@Suite struct AddressReachTests {
  private func reach(_ host: String) throws -> AddressReach {
    AddressReach(try NetworkAddress(parsing: host.contains(":") ? "[\(host)]:80" : "\(host):80"))
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::1", "2606:4700::1111",
    "2001:200::1", "2a01:4f8::1", "3fff:1000::1",
  ])
  func theInternetIsReached(host: String) throws { #expect(try reach(host) == .global) }

  @Test(arguments: [
    "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.0", "127.0.0.1",
    "127.255.255.255",
    "169.254.0.0", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
    "198.18.0.0", "198.19.255.255", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "::ffff:127.0.0.1",
    "::ffff:1.1.1.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::101:101", "64:ff9b:1::a00:1",
    "64:ff9b:1:ffff::101:101",
  ])
  func localAddressesAreRecognised(host: String) throws { #expect(try reach(host) == .near) }

  @Test(arguments: [
    "0.0.0.0", "0.255.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.51.100.1", "203.0.113.1",
    "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::2", "::7f00:1", "::ffff:0.0.0.0",
    "::ffff:224.0.0.1", "64:ff9b::", "64:ff9b::ffff:ffff", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1",
    "2002:7f00:1::", "3fff::1", "4000::1", "fec0::1", "ff02::1",
  ])
  func reservedAddressesAreRecognised(host: String) throws { #expect(try reach(host) == .none) }
}
