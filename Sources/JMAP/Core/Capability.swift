/// The capabilities of RFC 8620, 8621 and their companions, and this program's own.
enum Capability: String, CaseIterable, Sendable {
    case core = "urn:ietf:params:jmap:core"
    case mail = "urn:ietf:params:jmap:mail"
    case submission = "urn:ietf:params:jmap:submission"
    case quota = "urn:ietf:params:jmap:quota"
    case mdn = "urn:ietf:params:jmap:mdn"
    case webSocket = "urn:ietf:params:jmap:websocket"
    case blob = "urn:ietf:params:jmap:blob"
    case sieve = "urn:ietf:params:jmap:sieve"
    case vacation = "urn:ietf:params:jmap:vacationresponse"
    case actions = "urn:mailkernel:actions"
    case about = "urn:mailkernel:about"
    case accounts = "urn:mailkernel:accounts"
    case compose = "urn:mailkernel:compose"
    case connections = "urn:mailkernel:connections"
    case contacts = "urn:mailkernel:contacts"
    case imports = "urn:mailkernel:imports"
    case lock = "urn:mailkernel:lock"
    case models = "urn:mailkernel:models"
    case notifications = "urn:mailkernel:notifications"
    case plugins = "urn:mailkernel:plugins"
    case preferences = "urn:mailkernel:preferences"
    case presence = "urn:mailkernel:presence"
    case reading = "urn:mailkernel:reading"
    case rules = "urn:mailkernel:rules"
    case secrets = "urn:mailkernel:secrets"
    case senders = "urn:mailkernel:senders"
    case storage = "urn:mailkernel:storage"
    case sync = "urn:mailkernel:sync"

    /// What belongs to the program and not to one of its mail accounts.
    static let ofProgram: [Capability] = [
        .about, .accounts, .connections, .contacts, .imports, .lock, .models, .notifications,
        .plugins, .preferences, .presence, .reading, .secrets, .storage, .sync,
    ]
}
