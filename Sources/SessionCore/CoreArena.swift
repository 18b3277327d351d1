internal import CSessionCore

/// The memory of values that are lent to the core: all of it is wiped and given back with the arena.
///
/// Pointers into it must not outlive it.
final class CoreArena {
  private var blocks: [UnsafeMutableRawBufferPointer] = []

  deinit {
    for block in blocks {
      sc_wipe(block.baseAddress, block.count)
      block.deallocate()
    }
  }

  /// Bytes, as long as the arena lives.
  func bytes(_ bytes: some Collection<UInt8>) -> sc_bytes {
    let copy = take(UInt8.self, count: bytes.count)
    _ = UnsafeMutableBufferPointer(start: copy, count: bytes.count).update(fromContentsOf: bytes)
    return sc_bytes(ptr: copy, len: bytes.count)
  }

  /// None where there is no secret.
  func bytes(_ secret: SecretBytes?) -> sc_bytes { secret?.withCore { bytes($0.content) } ?? sc_bytes() }

  /// A text; none where it is nil.
  func text(_ text: String?) -> sc_bytes { text.map { bytes($0.utf8) } ?? sc_bytes() }

  /// An array, nil where there is nothing in it.
  func list<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafePointer<Element>? {
    guard !elements.isEmpty else { return nil }
    let copy = take(Element.self, count: elements.count)
    copy.initialize(from: elements, count: elements.count)
    return UnsafePointer(copy)
  }

  private func take<Value>(_ type: Value.Type, count: Int) -> UnsafeMutablePointer<Value> {
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, MemoryLayout<Value>.stride * count), alignment: MemoryLayout<Value>.alignment)
    block.initializeMemory(as: UInt8.self, repeating: 0)
    blocks.append(block)
    guard let start = block.bindMemory(to: Value.self).baseAddress else {
      preconditionFailure("memory without an address")
    }
    return start
  }
}
