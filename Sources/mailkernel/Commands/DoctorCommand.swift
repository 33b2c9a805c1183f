import FoundationEssentials
import Glibc
import MailKernelAPI
import PluginHost
import Store

/// Checks the installation and says what to do about each finding.
struct DoctorCommand {
    private let options: CommonOptions

    init(_ arguments: inout Arguments) throws {
        options = try CommonOptions(&arguments)
        try arguments.finish()
    }

    func run() async throws {
        var findings = [Checkup.program]
        findings.append(Checkup.folder("mail", options.folders.data))
        findings.append(Checkup.folder("settings", options.folders.configuration))
        findings.append(Checkup.freeSpace(options.folders.data))
        findings.append(await Checkup.secretStore(options.secrets))
        findings += pluginFindings()
        findings.append(Checkup.libraries)
        for finding in findings { print(finding.text) }
        let problems = findings.filter { $0.grade == .problem }.count
        switch problems {
        case 0: print("\nNo problems found.")
        case 1: throw CommandError("one problem found; see above for what to do.")
        default: throw CommandError("\(problems) problems found; see above for what to do.")
        }
    }

    private func pluginFindings() -> [Finding] {
        let records: [PluginRecord]
        do {
            records = try options.loadPlugins(unless: StopSignals().check)
        } catch let error as UsageError {
            return [Finding(.problem, "plugins", error.sentence)]
        } catch {
            return [Finding(.problem, "plugins", "\(error)")]
        }
        var findings = records.map { record in
            let listing = PluginListing(record)
            let text = "\(listing.id): \(listing.state). \(listing.reason)"
            return switch record.state {
            case .loaded where record.pastCrash == nil: Finding(.good, "plugin", "\(listing.id): loaded.")
            case .disabled, .skippedInSafeMode, .notChosen: Finding(.note, "plugin", text)
            case .loaded, .refused, .skippedAfterCrash: Finding(.problem, "plugin", text)
            }
        }
        do {
            let storage = try StorageChoice.choose(from: records, id: options.chosenStorage())
            findings.append(
                Finding(
                    .good, "storage",
                    "Mail is kept by “\(storage.name)”. “mailkernel storage check” looks for damage."))
        } catch StorageChoiceError.several(let ids) {
            findings.append(Finding(.note, "storage", "\(StorageChoiceError.several(ids))"))
        } catch {
            findings.append(Finding(.problem, "storage", "\(error)"))
        }
        return findings
    }
}

/// One thing that was looked at.
struct Finding {
    enum Grade: String {
        case good = "good"
        case note = "note"
        case problem = "problem"
    }

    let grade: Grade
    private let subject: String
    private let sentence: String

    init(_ grade: Grade, _ subject: String, _ sentence: String) {
        self.grade = grade
        self.subject = subject
        self.sentence = sentence
    }

    var text: String {
        "\(grade.rawValue.padded(to: 8))\(subject.padded(to: 13))\(sentence)"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
