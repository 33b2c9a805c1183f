import MailKernelAPI
import Sieve

/// Which rules of a script can run at a service, and the script that runs them there.
///
/// Rules run in their order, so those at the service are the first ones. They put a mark on each message that they have
/// seen. A message gets the rest of its rules here, or all of them if it has no mark.
struct ServicePlan: Sendable {
    struct Entry: Sendable, Hashable {
        /// The rule's name; nil if it was written by hand.
        var title: String?
        var isOff: Bool
        /// Why it runs here; nil if it can run at the service.
        var reason: String?
    }

    private(set) var entries: [Entry] = []
    /// What runs at the service, in its order.
    private(set) var served: [ServedUnit] = []

    /// The units here that run there.
    var units: [String] { served.map(\.key) }

    /// Nothing is to run at the service.
    static let none = ServicePlan()

    private init() {}

    init(_ text: String, _ offer: ServiceOffer) {
        guard let script = try? SieveScript(parsing: text) else { return }
        let units = ScriptUnit.all(in: script)
        let reasons = Self.reasons(units, ScriptUnit.required(by: script), offer, &served)
        entries = zip(units, reasons).map { unit, reason in
            Entry(title: unit.title, isOff: unit.isOff, reason: unit.isOff ? nil : reason?.sentence)
        }
    }

    /// Why each unit stays here; nil for those that do not.
    private static func reasons(
        _ units: [ScriptUnit], _ required: Set<String>, _ offer: ServiceOffer, _ served: inout [ServedUnit]
    ) -> [StaysHere?] {
        guard required.isDisjoint(with: ["variables", "encoded-character"]) else {
            return units.map { _ in StaysHere("The rules use variables.") }
        }
        var reasons: [StaysHere?] = []
        // The place of each served unit among all.
        var places: [Int] = []
        var isCut = false
        for (index, unit) in units.enumerated() {
            if unit.isOff {
                reasons.append(nil)
                continue
            }
            do throws(StaysHere) {
                guard !isCut else { throw .earlier }
                served.append(try UnitReader.read(unit, offer))
                places.append(index)
                reasons.append(nil)
            } catch {
                isCut = true
                reasons.append(error)
            }
        }
        // Rules here never see mail that a rule there has moved, and replies and keywords must not be skipped.
        let cut = served.indices.first { index in
            served[index].movesOn
                && (isCut || served[(index + 1)...].contains { $0.replies || $0.flags })
        }
        guard let cut else { return reasons }
        for index in units.indices.dropFirst(places[cut]) where !units[index].isOff {
            if index == places[cut] {
                reasons[index] = .moves
            } else if reasons[index] == nil {
                reasons[index] = .earlier
            }
        }
        served.removeSubrange(cut...)
        return reasons
    }

    /// The script for the service; nil if nothing runs there.
    func text(_ mark: ServiceMark) -> String? {
        guard !served.isEmpty else { return nil }
        let needs = served.reduce(into: Set(["imap4flags"])) { $0.formUnion($1.needs) }
        let head = [
            SieveCommand("require", [.list(needs.sorted())], comments: Self.comments),
            SieveCommand("addflag", [.string(mark.flag)]),
        ]
        return SieveScript(head + served.flatMap(\.commands)).text
    }

    private static let comments = [
        "mailkernel wrote this script: its rules that run at this service.",
        "The flag shows mailkernel which messages they have seen.",
    ]
}

/// The keyword that the script at a service puts on messages. Each change of the script takes another one, so that messages
/// from before keep their meaning. There are few of them, as each is a keyword at the service.
enum ServiceMark: String, Codable, Sendable, CaseIterable, CodingKeyRepresentable {
    case one
    case other
    case third
    case fourth

    var flag: String {
        switch self {
        case .one: "$MailKernelRulesA"
        case .other: "$MailKernelRulesB"
        case .third: "$MailKernelRulesC"
        case .fourth: "$MailKernelRulesD"
        }
    }

    var keyword: Keyword { Keyword(flag) }
}
