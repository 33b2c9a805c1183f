import FoundationEssentials
import MailKernelAPI

/// One of the two made-up people of the demo.
struct DemoPerson: Sendable, Hashable {
    let name: String
    let address: LocalAddress

    static let all: [DemoPerson] = [
        ("Mira Lindqvist", "mira@demo.example"), ("Jonas Weber", "jonas@demo.example"),
    ].compactMap { name, address in LocalAddress(address).map { DemoPerson(name: name, address: $0) } }
}
