internal import CSessionCore

/// Memory that the core reads while it writes a request or a reply; it goes with the loan. Only plain values of C are put
/// there.
final class CoreLoan {
  private var blocks: [UnsafeMutableRawPointer] = []

  deinit { for block in blocks { block.deallocate() } }

  func bytes(_ bytes: [UInt8]) -> sc_bytes {
    guard let copy: UnsafePointer<UInt8> = array(of: bytes) else { return sc_bytes() }
    return sc_bytes(ptr: copy, len: bytes.count)
  }

  func text(_ text: String) -> sc_bytes { bytes(Array(text.utf8)) }

  func value<Value>(_ value: Value) -> UnsafePointer<Value> {
    guard let copy = list([value]) else { preconditionFailure("a list of one is not empty") }
    return copy
  }

  /// A list, nil where there is nothing in it.
  func list<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    copy.initialize(from: elements, count: elements.count)
    blocks.append(UnsafeMutableRawPointer(copy))
    return UnsafePointer(copy)
  }

  /// Bytes as a list of elements that are arrays of bytes in C.
  func array<Element>(of bytes: [UInt8]) -> UnsafePointer<Element>? {
    guard let copy = list(bytes) else { return nil }
    let count = bytes.count / MemoryLayout<Element>.stride
    return UnsafeRawPointer(copy).bindMemory(to: Element.self, capacity: count)
  }
}

extension sc_bytes {
  /// As text; what is not valid UTF-8 is replaced.
  var string: String { String(decoding: content, as: UTF8.self) }
}

/// Copies bytes into an array of C, which has room for them.
func fill<Bytes>(_ bytes: inout Bytes, with content: [UInt8]) {
  withUnsafeMutableBytes(of: &bytes) { $0.copyBytes(from: content.prefix($0.count)) }
}

/// The bytes of an array of C.
func array<Bytes>(_ bytes: Bytes) -> [UInt8] { withUnsafeBytes(of: bytes) { Array($0) } }
