import SessionCore
import SessionEndpoint
import SessionService

/// New loss or delay for one node of a devnet, or all; nil keeps a value.
public struct WeatherChange: Hashable, Sendable {
  /// From one; nil for all.
  public var node: Int?
  /// In milliseconds, at most a minute.
  public var delay: Int?
  /// 0 to 1.
  public var loss: Double?

  public init(node: Int? = nil, delay: Int? = nil, loss: Double? = nil) {
    self.node = node
    self.delay = delay
    self.loss = loss
  }

  func apply(to weather: inout NetworkWeather) {
    if let delay { weather.delay = .milliseconds(delay) }
    if let loss { weather.loss = loss }
  }
}

extension WeatherChange {
  var text: String {
    [node.map(String.init), delay.map(String.init), loss.map { "\($0)" }].map { $0 ?? "-" }.joined(
      separator: " ")
  }

  init(parsing text: String) throws(ServiceFailure) {
    let fields = text.split(separator: " ").map(String.init)
    guard fields.count == 3 else { throw .request("'\(text)' is not a delay or loss") }
    self.init(node: Int(fields[0]), delay: Int(fields[1]), loss: Double(fields[2]))
    let isWhole = zip(fields, [node == nil, delay == nil, loss == nil]).allSatisfy { ($0 == "-") == $1 }
    guard isWhole, 0...60_000 ~= delay ?? 0, 0...1 ~= loss ?? 0 else {
      throw .request("'\(text)' is not a delay or loss")
    }
  }
}
