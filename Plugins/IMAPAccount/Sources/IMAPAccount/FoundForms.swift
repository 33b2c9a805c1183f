import IMAP
import MailKernelAPI
import SigningIn

// The form for a service that the kernel found from the address: only what is missing.
extension AccountForms {
    /// The password and the name; the servers too, if the user wants to change them.
    ///
    /// - Parameter reason: why there is no other way; empty if there is nothing to say.
    func found(_ service: DiscoveredService, because reason: String = "") -> [FormField] {
        let known = service.knownID.flatMap { services.service(id: $0)?.hint } ?? ""
        let hint = reason.isEmpty ? known : reason
        if let incoming = service.incoming, Self.isPOP3(incoming) {
            return popFields(service, incoming, [Self.password(hint: hint), Self.name])
        }
        let fields = [Self.password(hint: hint), Self.name]
        guard asksForServers(service) else { return fields }
        let domain = person(of: service).domain
        let isFound = service.incoming != nil
        return fields + [Self.userName(service.userName)]
            + self.fields(
                .imap, "Incoming",
                service.incoming.map { MailServer($0) } ?? MailServer("imap.\(domain)", port: 993),
                hint: isFound ? "" : Self.guess)
            + self.fields(
                .submission, "Outgoing",
                service.submission.map { MailServer($0) } ?? MailServer("smtp.\(domain)", port: 465),
                hint: isFound ? "" : Self.guess)
    }

    func candidate(
        in answers: [String: Secret], at service: DiscoveredService
    ) throws(AccountError) -> AccountCandidate {
        var owner = person(of: service)
        owner.name = try answers.personName(Name.name)
        let person = try person(in: answers, owner)
        let place: MailPlace
        if let incoming = service.incoming, Self.isPOP3(incoming) {
            place = try popPlace(person, answers, at: service, incoming)
        } else if !asksForServers(service), let incoming = service.incoming,
            let submission = service.submission
        {
            place = MailPlace(
                person, user: service.userName, imap: MailServer(incoming),
                submission: MailServer(submission), service: service.knownID)
        } else {
            let (user, imap, submission) = try servers(in: answers)
            place = MailPlace(person, user: user, imap: imap, submission: submission)
        }
        return place.candidate(password: person.password)
    }

    func asksForServers(_ service: DiscoveredService) -> Bool {
        service.isToBeChanged || service.incoming == nil || service.submission == nil
    }

    func person(of service: DiscoveredService) -> Person {
        Person(address: service.address, password: "", name: "")
    }
}
