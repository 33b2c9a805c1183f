// swift-tools-version: 6.3
import PackageDescription

// The reference providers of the conformance kit, in libraries of their own, with the misbehavior
// that their settings tell. What `Misbehavior` in the kit says about settings holds for each.
// Debug builds show every internal symbol to tests; a plugin shows one, however it is built.
let exports = Context.packageDirectory + "/exports.map"
let kinds = ["Storage", "Account", "Models", "Notifications"]

let package = Package(
    name: "MockPlugins",
    products: kinds.map { .library(name: "Mock\($0)", type: .dynamic, targets: ["Mock\($0)"]) },
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        // Compiled into each plugin: a crash has to be one of the plugin's own code.
        .target(
            name: "SuddenEnd",
            dependencies: [.product(name: "MailKernelAPI", package: "MailKernelAPI")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
        + kinds.map { kind in
            .target(
                name: "Mock\(kind)",
                dependencies: [
                    "SuddenEnd",
                    .product(name: "MailKernelAPI", package: "MailKernelAPI"),
                    .product(name: "MailKernelConformance", package: "MailKernelConformance"),
                ],
                swiftSettings: [.treatAllWarnings(as: .error)],
                linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\(exports)"])]
            )
        }
)
