import FoundationEssentials
import MailKernelAPI
import OAuth
import SigningIn

/// The form before the browser opens: the account, a shared mailbox if it is one, and the client if none is known.
struct MicrosoftForm: ClientForm {
    /// The shared mailbox, in the note of a sign-in.
    static let mailbox = "mailbox"

    private enum Name {
        static let address = "address"
        static let mailbox = "mailbox"
    }

    /// Clients of Microsoft itself have names of a known form.
    let isMicrosoft: Bool
    /// The setup for shared mailboxes.
    let sharedID: String

    func accountFields(_ setupID: String) -> [FormField] {
        let address = FormField(
            name: Name.address, label: "Your address", kind: .email,
            hint: "The one that you sign in to Microsoft with.")
        guard setupID == sharedID else { return [address] }
        return [
            FormField(name: Name.mailbox, label: "Address of the shared mailbox", kind: .email), address,
        ]
    }

    func note(in answers: [String: Secret], _ setupID: String) throws(AccountError) -> [String: String] {
        let isShared = setupID == sharedID
        let mailbox = isShared ? try Self.address(in: answers, Name.mailbox) : nil
        return Self.note(try Self.address(in: answers, Name.address), mailbox: mailbox)
    }

    static func note(_ address: String, mailbox: String?) -> [String: String] {
        var note = [ClientSignIn.address: address]
        note[Self.mailbox] = mailbox
        return note
    }

    private static func address(in answers: [String: Secret], _ name: String) throws(AccountError) -> String {
        try answers.mailAddress(name, orSay: "Please enter the full address, such as ada@outlook.com.")
    }

    func clientFields(initialID: String, isRequired: Bool) -> [FormField] {
        [
            ClientIDField.field(
                initialID: initialID, isRequired: isRequired,
                hint:
                    "Microsoft calls it “Application (client) ID”. The Microsoft guide shows how to get one.")
        ]
    }

    func namesClient(_ answers: [String: Secret]) -> Bool { !ClientIDField.text(in: answers).isEmpty }

    func client(in answers: [String: Secret]) throws(AccountError) -> OAuthClient {
        let id = try ClientIDField.id(
            in: answers, isUsual: { !isMicrosoft || UUID(uuidString: $0) != nil },
            orSay: "This is not a client ID. It looks like 1b2c3d4e-0000-4000-8000-000000000000; the value "
                + "of a client secret is not needed.")
        return OAuthClient(id: id, secret: nil)
    }
}
