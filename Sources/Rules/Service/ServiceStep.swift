import MailKernelAPI

/// What is at the service now.
struct ServiceView: Sendable, Hashable {
    var scripts: [RemoteScripts.Script]
    /// The text of the script with our name; nil if there is none.
    var ours: String?

    var active: String? { scripts.first(where: \.isActive)?.name }
    var isOursActive: Bool { active == ServiceRules.scriptName }
}

/// The next thing to do at the service. After each, what is there is read again.
///
///     wanted:      nothing ──▶ put ──▶ activate ──▶ settled        a question ends it until it is answered
///     not wanted:  active ──▶ activate the one before ──▶ delete ──▶ settled
enum ServiceStep: Sendable, Hashable {
    /// All is as it should be.
    case settled
    case ask(ServiceRules.Found.Question)
    /// Add our script, or replace its text.
    case put(ServiceMark)
    /// Make ours the active one. The one that was active before is activated again later.
    case activate(insteadOf: String?)
    /// Make the one before the active one again, or none.
    case restore(String?)
    case delete

    /// - Parameter isWanted: rules are to run at the service, and some can.
    static func next(
        _ state: ServiceRules, _ view: ServiceView, _ plan: ServicePlan, isWanted: Bool
    ) -> ServiceStep {
        let isOurs = view.ours.map(state.isOurs) ?? false
        guard isWanted else {
            // What another program wrote is left alone, whatever it is called.
            guard isOurs else { return .settled }
            guard view.isOursActive else { return .delete }
            let previous = state.previous.flatMap { name in view.scripts.first { $0.name == name }?.name }
            return .restore(previous)
        }
        if let text = view.ours, !isOurs {
            let digest = ServiceRules.digest(text)
            guard state.consent.replaces == digest else { return .ask(.replace(digest: digest)) }
        }
        if let active = view.active, !view.isOursActive {
            guard state.consent.displaces == active else { return .ask(.displace(name: active)) }
        }
        if isOurs, let text = view.ours, let mark = state.mark(of: text) {
            let wanted = plan.text(mark).map(ServiceRules.digest)
            guard wanted == ServiceRules.digest(text) else {
                return .put(state.freeMark(for: plan, besides: mark))
            }
            return view.isOursActive ? .settled : .activate(insteadOf: view.active)
        }
        return .put(state.freeMark(for: plan, besides: view.ours.flatMap(state.mark)))
    }
}
