import SessionBase
import SessionCore
import SessionStorage

/// A summary of an archive that was made or read.
struct ArchiveSummary: Sendable {
  var path: String
  let manifest: ArchiveSummary.Origin
  let report: ArchiveReport
  let bytes: Int
  /// What was added to an account that was there.
  var merged: ArchiveMergeReport?

  /// Where it comes from.
  struct Origin: Sendable {
    let account: String
    let name: String
    let network: String
    let created: Int64
    let schema: Int64
    let hasSeed: Bool
  }

  func output(asJSON isJSON: Bool) -> CommandOutput {
    var output = isJSON ? CommandOutput(json: json) : text
    output.status = report.isWhole ? .success : .data
    return output
  }

  private var json: JSONObject {
    var object: JSONObject = [
      "type": .string("archive"), "path": .string(path), "whole": .boolean(report.isWhole),
      "account": .string(manifest.account), "name": .string(manifest.name),
      "network": .string(manifest.network), "created": .integer(UInt64(clamping: manifest.created)),
      "schema": .integer(UInt64(clamping: manifest.schema)), "seed": .boolean(manifest.hasSeed),
      "bytes": .integer(UInt64(bytes)), "files": .integer(UInt64(report.files)),
      "file_bytes": .integer(UInt64(clamping: report.fileBytes)),
      "tables": .objects(
        report.rows.map {
          JSONObject(members: [("name", .string($0.table)), ("rows", .integer(UInt64(clamping: $0.count)))])
        }),
      "problem_count": .integer(UInt64(report.problemCount)),
      "problems": .objects(
        report.problems.map {
          JSONObject(members: [
            ("kind", .string($0.kind)), ("item", .string($0.item)), ("detail", .string($0.detail)),
          ])
        }),
    ]
    object["merged"] = merged.map { merged in
      .objects(
        merged.tables.map { name, tally in
          [
            "name": .string(name), "added": .integer(UInt64(tally.added)),
            "here": .integer(UInt64(tally.here)), "skipped": .integer(UInt64(tally.skipped)),
          ]
        })
    }
    return object
  }

  private var text: CommandOutput {
    let rows = report.rows.reduce(0) { $0 + $1.count }
    var output = CommandOutput(fields: [
      ("account", .text("\(DisplayText.line(manifest.name)), \(manifest.account)")),
      ("created", .text(LocalTime.text(manifest.created))),
      ("size", .text(ByteCount.text(Int64(bytes)))),
      ("rows", .text("\(rows)")),
      ("files", .text("\(report.files), \(ByteCount.text(report.fileBytes))")),
      ("recovery phrase", .text(manifest.hasSeed ? "yes" : "no")),
    ])
    if let merged {
      var table = TextTable(head: ["table", "added", "already here", "stays deleted"])
      table.rows = merged.tables.map {
        [$0.name, "\($0.tally.added)", "\($0.tally.here)", "\($0.tally.skipped)"]
      }
      output.data += [.text("\n")] + table.parts
    }
    guard !report.isWhole else { return output }
    var table = TextTable(head: ["problem", "item", "detail"])
    table.rows = report.problems.map { [$0.kind, $0.item, $0.detail].map { DisplayText.line($0) } }
    output.data += [.text("\n")] + table.parts
    let rest = report.problemCount - report.problems.count
    if rest > 0 { output.data.append(.text("and \(rest) more\n")) }
    return output
  }
}

extension ArchiveSummary.Origin {
  init(_ manifest: ArchiveManifest) {
    self.init(
      account: manifest.account, name: manifest.name, network: manifest.network, created: manifest.created,
      schema: manifest.schema, hasSeed: manifest.seed != nil)
  }
}
