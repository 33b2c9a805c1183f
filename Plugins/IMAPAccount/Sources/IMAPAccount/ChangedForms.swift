import IMAP
import MailKernelAPI

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
            + fields(.imap, "Incoming", place.imap, hint: "The server of your mail cannot be changed.")
            + fields(.submission, "Outgoing", place.submission, hint: "")
    }

    func candidate(
        in answers: [String: Secret], changing old: MailPlace
    ) throws(AccountError) -> AccountCandidate {
        let person = try person(in: answers)
        guard person.address.lowercased() == old.address.lowercased() else {
            throw .invalid(field: Name.address, reason: "This account's address is \(old.address).")
        }
        let (user, imap, submission) = try servers(in: answers)
        // Another server gives messages other numbers, and may give these numbers to other messages.
        guard imap.endpoint.host == old.imap.endpoint.host else {
            throw .invalid(
                field: ServerNames.imap.host,
                reason: "This account's mail is at \(old.imap.endpoint.host). For another server, remove the "
                    + "account here and add it again.")
        }
        let isSame = imap == old.imap && submission == old.submission
        let owner = Person(address: old.address, password: "", name: old.name)
        let place = MailPlace(
            owner, user: user, imap: imap, submission: submission, service: isSame ? old.service : nil)
        return place.candidate(password: person.password)
    }
}
