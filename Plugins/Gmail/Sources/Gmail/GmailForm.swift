import FoundationEssentials
import MailKernelAPI
import OAuth
import SigningIn

/// The form before the browser opens: the account, and the client if none is configured.
struct GmailForm: ClientForm {
    private enum Name {
        static let address = "address"
        static let clientSecret = "clientSecret"
    }

    /// Clients of Google itself have names of a known form.
    let isGoogle: Bool

    func accountFields(_ setupID: String) -> [FormField] {
        [
            FormField(
                name: Name.address, label: "Your Gmail address", kind: .email,
                hint: "Google does not share your address with mail apps, so type it here.")
        ]
    }

    func note(in answers: [String: Secret], _ setupID: String) throws(AccountError) -> [String: String] {
        [ClientSignIn.address: try Self.address(in: answers)]
    }

    func clientFields(initialID: String, isRequired: Bool) -> [FormField] {
        [
            ClientIDField.field(
                initialID: initialID, isRequired: isRequired,
                hint: "It ends with .apps.googleusercontent.com. You can also paste the whole file that you "
                    + "downloaded from Google. The Gmail guide shows how to get one."),
            FormField(
                name: Name.clientSecret, label: "Client secret", kind: .password, isRequired: false,
                hint: "It begins with GOCSPX-. Leave this empty if you pasted the file."),
        ]
    }

    func namesClient(_ answers: [String: Secret]) -> Bool {
        !ClientIDField.text(in: answers).isEmpty || !answers.trimmed(Name.clientSecret).isEmpty
    }

    static func address(in answers: [String: Secret]) throws(AccountError) -> String {
        try answers.mailAddress(
            Name.address, orSay: "Please enter your full address, such as ada@gmail.com.")
    }

    func client(in answers: [String: Secret]) throws(AccountError) -> OAuthClient {
        let text = ClientIDField.text(in: answers)
        if let client = GoogleClient.read(text) { return client }
        if GoogleClient.isOfAWebPage(text) {
            throw .invalid(
                field: ClientIDField.name,
                reason: "This client is for a website. Create one of the type “Desktop app”.")
        }
        let id = try ClientIDField.id(
            in: answers, isUsual: { !isGoogle || $0.hasSuffix(".apps.googleusercontent.com") },
            orSay: "This is not a client ID. Client IDs end with .apps.googleusercontent.com.")
        let secret = answers.trimmed(Name.clientSecret)
        guard !secret.isEmpty, secret.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .invalid(
                field: Name.clientSecret,
                reason: "Please enter the client secret. Google shows it next to the client ID.")
        }
        return OAuthClient(id: id, secret: Secret(secret))
    }
}
