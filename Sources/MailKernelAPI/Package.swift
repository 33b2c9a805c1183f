// swift-tools-version: 6.3
import PackageDescription

// All link the dynamic product, never the target: a second copy of this module in one
// process makes casts and typed `catch` across the plugin boundary fail in silence.
let package = Package(
    name: "MailKernelAPI",
    products: [
        .library(name: "MailKernelAPI", type: .dynamic, targets: ["MailKernelAPI", "CMailKernelPlugin"])
    ],
    targets: [
        .target(name: "CMailKernelPlugin", path: "CMailKernelPlugin"),
        .target(
            name: "MailKernelAPI",
            dependencies: ["CMailKernelPlugin"],
            path: "API",
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: ["Fingerprint"]
        ),
        .plugin(name: "Fingerprint", capability: .buildTool()),
    ]
)
