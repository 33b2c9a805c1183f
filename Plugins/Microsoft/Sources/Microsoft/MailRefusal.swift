import MicrosoftLogin

/// What it means that Microsoft's mail servers refuse a token that Microsoft just gave, and the one thing to do.
enum MailRefusal {
    static func receiving(_ account: MicrosoftAccount, answer: String) -> String {
        if account.mailbox != nil {
            return
                "Microsoft does not open \(account.owner) for \(account.address). Ask your administrator for full "
                + "access to this shared mailbox; it takes up to an hour to take effect. Microsoft's answer: "
                + answer
        }
        return
            "Microsoft accepted your sign-in, but the mailbox is closed for IMAP, or you chose another account in "
            + "the browser. At Outlook.com, turn on IMAP under Settings, Mail, Forwarding and IMAP. In an "
            + "organization, choose “Add a Microsoft account without IMAP”, or ask the administrator to turn it on: "
            + "the Microsoft guide has a text. Microsoft's answer: \(answer)"
    }

    static func sending(answer: String) -> String {
        let text = answer.lowercased()
        if text.contains("smtpclientauthentication is disabled") {
            let isWhole = text.contains("for the tenant")
            return
                "Receiving works, but sending is turned off: your administrator has disabled SMTP AUTH for "
                + (isWhole ? "the organization" : "this mailbox")
                + ". Ask them to turn on “Authenticated SMTP” for your mailbox; the Microsoft guide has a text."
        }
        if text.contains("security defaults") || text.contains("conditional access") {
            return "Receiving works, but a rule of your organization does not allow sending by SMTP. Ask the "
                + "administrator; the Microsoft guide has a text."
        }
        return "Receiving works, but sending does not. Microsoft's answer: \(answer)"
    }
}
