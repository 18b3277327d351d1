/// The failure of a node, apart from its replies to requests.
public enum NodeFailure: Error, Hashable, Sendable {
  /// The store has reached the size it may have.
  case full
  /// The node is not in the list, or its list is of another operator.
  case notListed
  /// A list that is older than the one that is known.
  case outdatedList
  /// A list with less than half of the nodes that are known, which has to be confirmed.
  case shrunkenList
  /// A list in which no swarm is left.
  case listWithoutSwarms
  /// The clock of this machine shows a time before the program was made.
  case clock
  /// No devnet runs in this folder.
  case noDevnet(String)
  /// Another devnet runs in this folder.
  case devnetRuns(String)
  /// The stored data is damaged; with a description.
  case damagedStore(String)
  /// The node has left its network, according to this file.
  case hasLeft(String)
  /// The node still has requests or messages for others while leaving; with a description.
  case owing(String)
  /// The list of allowed nodes is missing.
  case allowListMissing(String)
  /// A line of the list of allowed nodes that does not begin with a key.
  case allowList(String, line: Int)
}

extension NodeFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .full: "the store has reached its size limit"
    case .notListed: "the node is not in the list of its network"
    case .outdatedList: "the list is older than the current one"
    case .shrunkenList:
      "the list has lost more than half of its nodes; confirm_shrunken_list = true accepts it"
    case .listWithoutSwarms: "the list has no swarm"
    case .clock: "the clock of this machine is wrong"
    case .noDevnet(let folder): "no devnet runs in \(folder)"
    case .devnetRuns(let folder): "a devnet already runs in \(folder)"
    case .damagedStore(let why): why
    case .hasLeft(let file): "the node has left its network, as \(file) says"
    case .owing(let what): "the node keeps running: it could not hand over everything, \(what)"
    case .allowListMissing(let path): "\(path) is missing; the nodes allowed before stay allowed"
    case .allowList(let path, let line): "\(path), line \(line): a key has 64 hexadecimal digits"
    }
  }
}
