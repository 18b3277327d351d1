import Measuring

/// One line: what a command took, beside what it takes to run a program that does nothing.
public struct Report {
  private let name: String
  private let mostMilliseconds: Double
  private let mostMebibytes: Double?
  /// What it is compared with, by name.
  private let floors: [(name: String, program: Program)]

  public init(
    name: String, mostMilliseconds: Double, mostMebibytes: Double?,
    floors: [(name: String, program: Program)] = [("a program that does nothing", Program(path: "/bin/true"))]
  ) {
    self.name = name
    self.mostMilliseconds = mostMilliseconds
    self.mostMebibytes = mostMebibytes
    self.floors = floors
  }

  /// Runs the command and the floors in turn, then the command again for its memory.
  public func run(_ count: Int, _ program: Program, _ arguments: String...) {
    var ours: [Double] = []
    var others = floors.map { _ in [Double]() }
    for _ in 0..<count {
      ours.append(program.run(arguments) * 1e3)
      for (index, floor) in floors.enumerated() { others[index].append(floor.program.run([]) * 1e3) }
    }
    ours.sort()
    let time = ours.part(0.5)
    var line = "\(name): p50 \(time.rounded(to: 1)) ms, p95 \(ours.part(0.95).rounded(to: 1)) ms"
    for (floor, times) in zip(floors, others) {
      let least = times.sorted().part(0.5)
      line += "; \(floor.name) \(least.rounded(to: 2)) ms, ratio \((time / least).rounded(to: 1))"
    }
    line += "; target \(mostMilliseconds.rounded(to: 0)) ms: \(judged(time <= mostMilliseconds))"
    let size = Double((0..<5).map { _ in program.memory(arguments) }.max() ?? 0) / 1024
    line += "; \(size.rounded(to: 1)) MiB"
    if let most = mostMebibytes { line += ", target \(most.rounded(to: 0)) MiB: \(judged(size <= most))" }
    print(line)
  }
}
