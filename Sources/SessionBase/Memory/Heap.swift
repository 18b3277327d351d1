/// A binary heap: the least element first.
package struct Heap<Element: Comparable & Sendable>: Sendable {
  package private(set) var elements: [Element]

  package init(_ elements: [Element] = []) {
    self.elements = elements
    for parent in (0..<(elements.count / 2)).reversed() { sink(parent) }
  }

  package var first: Element? { elements.first }
  package var count: Int { elements.count }
  package var isEmpty: Bool { elements.isEmpty }

  package mutating func push(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  @discardableResult
  package mutating func pop() -> Element? {
    guard let first = elements.first else { return nil }
    let last = elements.removeLast()
    if !elements.isEmpty {
      elements[0] = last
      sink(0)
    }
    return first
  }

  private mutating func sink(_ start: Int) {
    var parent = start
    while true {
      let left = 2 * parent + 1
      guard left < elements.count else { return }
      let right = left + 1
      let child = right < elements.count && elements[right] < elements[left] ? right : left
      guard elements[child] < elements[parent] else { return }
      elements.swapAt(child, parent)
      parent = child
    }
  }
}
