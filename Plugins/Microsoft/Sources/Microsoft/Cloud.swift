import IMAP
import MailKernelAPI

/// One of Microsoft's clouds: where one signs in, and where mail is. They share no accounts.
struct Cloud: Sendable, Hashable {
    /// As the setting `cloud` names it.
    let id: String
    let name: String
    /// The host of the sign-in page and of its tokens.
    let login: String
    /// What the permissions belong to.
    let resource: String
    let imap: String
    let submission: String

    static let worldwide = Cloud(
        id: "worldwide", name: "Worldwide", login: "login.microsoftonline.com",
        resource: "https://outlook.office.com", imap: "outlook.office365.com",
        submission: "smtp.office365.com")

    static let all = [
        worldwide,
        Cloud(
            id: "usGovernment", name: "US Government (GCC High)", login: "login.microsoftonline.us",
            resource: "https://outlook.office365.us", imap: "outlook.office365.us",
            submission: "smtp.office365.us"),
        Cloud(
            id: "usDefense", name: "US Government (DoD)", login: "login.microsoftonline.us",
            resource: "https://outlook-dod.office365.us", imap: "outlook-dod.office365.us",
            submission: "outlook-dod.office365.us"),
        Cloud(
            id: "china", name: "China (21Vianet)", login: "login.partner.microsoftonline.cn",
            resource: "https://partner.outlook.cn", imap: "partner.outlook.cn",
            submission: "smtp.partner.outlook.cn"),
    ]
}
