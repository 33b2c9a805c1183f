import IMAP
import MailKernelAPI
import POP3

// The forms for a service that has POP3 only.
extension AccountForms {
    private static let leaveName = "leave"

    /// Whether the user wants to enter a POP3 server.
    func choosesPOP3(_ answers: [String: Secret]) -> Bool {
        answers[Name.service]?.revealed == Self.byHandPOP3
    }

    /// These ports have no other use, and the kernel does not say which protocol it found.
    static func isPOP3(_ server: DiscoveredServer) -> Bool { [995, 110].contains(server.endpoint.port) }

    func secondPOP3(_ person: Person) -> [FormField] {
        [Self.userName(person.address)]
            + fields(.pop3, "Incoming (POP3)", MailServer("pop.\(person.domain)", port: 995))
            + fields(.submission, "Outgoing", MailServer("smtp.\(person.domain)", port: 465))
            + [Self.leaving(.always)]
    }

    func popPlace(_ person: Person, _ answers: [String: Secret]) throws(AccountError) -> MailPlace {
        MailPlace(
            person, user: try userName(in: answers), imap: try server(.pop3, answers),
            submission: try server(.submission, answers), leave: try Self.leave(in: answers))
    }

    // MARK: Messages on the server

    static func leaving(_ now: LeaveOnServer) -> FormField {
        var ways: [LeaveOnServer] = [.always, .days(7), .days(30), .days(90), .untilDeleted, .never]
        if !ways.contains(now) { ways.append(now) }
        return FormField(
            name: leaveName, label: "Messages on the server",
            kind: .choice(ways.map { FormField.Choice(value: $0.text, label: label($0)) }),
            initialValue: now.text, isRequired: false,
            hint: "POP3 servers have no folders: folders, read marks and stars are kept on this device only.")
    }

    private static func label(_ way: LeaveOnServer) -> String {
        switch way {
        case .always: "Keep them there"
        case .days(1): "Remove them a day after they were fetched"
        case .days(let days): "Remove them \(days) days after they were fetched"
        case .untilDeleted: "Remove them when they are deleted here"
        case .never: "Remove them once they are on this device"
        }
    }

    static func leave(in answers: [String: Secret]) throws(AccountError) -> LeaveOnServer {
        let answer = answers[leaveName]?.revealed ?? ""
        if answer.isEmpty { return .always }
        guard let way = LeaveOnServer(answer) else {
            throw .invalid(field: leaveName, reason: "Please choose how long messages stay on the server.")
        }
        return way
    }

    // MARK: A service that was found

    func popFields(
        _ service: DiscoveredService, _ incoming: DiscoveredServer, _ first: [FormField]
    ) -> [FormField] {
        guard asksForServers(service) else { return first + [Self.leaving(.always)] }
        let domain = person(of: service).domain
        return first + [Self.userName(service.userName)]
            + fields(.pop3, "Incoming (POP3)", MailServer(incoming), hint: "")
            + fields(
                .submission, "Outgoing",
                service.submission.map { MailServer($0) } ?? MailServer("smtp.\(domain)", port: 465),
                hint: service.submission == nil ? Self.guess : "")
            + [Self.leaving(.always)]
    }

    func popPlace(
        _ person: Person, _ answers: [String: Secret], at service: DiscoveredService,
        _ incoming: DiscoveredServer
    ) throws(AccountError) -> MailPlace {
        guard !asksForServers(service), let submission = service.submission else {
            return try popPlace(person, answers)
        }
        return MailPlace(
            person, user: service.userName, imap: MailServer(incoming), submission: MailServer(submission),
            service: service.knownID, leave: try Self.leave(in: answers))
    }
}
