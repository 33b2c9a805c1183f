import IMAP
import MailKernelAPI
import POP3

// The form for an account whose sign-in the user changes: all that is known, but for the password.
extension AccountForms {
    func changing(_ place: MailPlace) -> [FormField] {
        let hint = place.service.flatMap { services.service(id: $0)?.hint } ?? ""
        return [
            FormField(
                name: Name.address, label: "Mail address", kind: .email, initialValue: place.address,
                hint:
                    "The address of an account cannot be changed. For another address, add another account."),
            Self.password(hint: hint),
            FormField(
                name: Name.user, label: "User name", kind: .text, initialValue: place.user,
                hint: "Most services expect the full address."),
        ]
            + fields(
                incomingNames(place), place.leave == nil ? "Incoming" : "Incoming (POP3)", place.imap,
                hint: "The server of your mail cannot be changed.")
            + fields(.submission, "Outgoing", place.submission, hint: "")
            + (place.leave.map { [Self.leaving($0)] } ?? [])
    }

    private func incomingNames(_ place: MailPlace) -> ServerNames { place.leave == nil ? .imap : .pop3 }

    func candidate(
        in answers: [String: Secret], changing old: MailPlace
    ) throws(AccountError) -> AccountCandidate {
        let person = try person(in: answers)
        guard person.address.lowercased() == old.address.lowercased() else {
            throw .invalid(field: Name.address, reason: "This account's address is \(old.address).")
        }
        let user = try userName(in: answers)
        let incoming = try server(incomingNames(old), answers)
        let submission = try server(.submission, answers)
        // Another server gives messages other numbers, and may give these numbers to other messages.
        guard incoming.endpoint.host == old.imap.endpoint.host else {
            // With POP3 the mail is only here.
            let way = old.leave == nil ? "remove" : "export the mail, then remove"
            throw .invalid(
                field: incomingNames(old).host,
                reason: "This account's mail is at \(old.imap.endpoint.host). For another server, \(way) the "
                    + "account here and add it again.")
        }
        let isSame = incoming == old.imap && submission == old.submission
        let owner = Person(address: old.address, password: "", name: old.name)
        let place = MailPlace(
            owner, user: user, imap: incoming, submission: submission, service: isSame ? old.service : nil,
            leave: old.leave == nil ? nil : try Self.leave(in: answers))
        return place.candidate(password: person.password)
    }
}
