/// A command, ready to run.
struct Step: Sendable {
    var operation: Operation
    var position: SievePosition?
}

indirect enum Operation: Sendable {
    /// The first branch whose condition holds; one without a condition is `else`.
    case choose([(condition: Condition?, steps: [Step])])
    case stop
    case keep(flags: [StringTemplate]?)
    case discard
    case fileInto(FilingOperation)
    case redirect(StringTemplate, isCopy: Bool)
    case reject(StringTemplate, isEnhanced: Bool)
    case set(String, StringTemplate, modifiers: [String])
    case changeFlags(FlagChange, variable: String, [StringTemplate])
    case vacation(VacationOperation)
    case notify(NotifyOperation)
    case forEveryPart(name: String?, [Step])
    case leave(name: String?)
    case extractText(String, first: Int?, modifiers: [String])
    case fail(StringTemplate)
}

enum FlagChange: String {
    case set = "setflag"
    case add = "addflag"
    case remove = "removeflag"
}

struct FilingOperation {
    var mailbox: StringTemplate
    var flags: [StringTemplate]?
    var isCopy: Bool
    var creates: Bool
}

struct VacationOperation {
    var seconds: Int
    var subject: StringTemplate?
    var from: StringTemplate?
    var addresses: [StringTemplate]
    var isMIME: Bool
    var handle: StringTemplate?
    var reason: StringTemplate
}

struct NotifyOperation {
    var method: StringTemplate
    var from: StringTemplate?
    var importance: StringTemplate?
    var options: [StringTemplate]
    var message: StringTemplate?
}
