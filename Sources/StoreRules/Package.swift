// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")

// A library that stores link statically: each has its own copy, so that stores built against different versions can
// be loaded together.
let package = Package(
    name: "StoreRules",
    products: [.library(name: "StoreRules", type: .static, targets: ["StoreRules"])],
    dependencies: [.package(path: "../MailKernelAPI")],
    targets: [
        .target(
            name: "StoreRules", dependencies: [api], path: "Rules",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "StoreRulesTests", dependencies: ["StoreRules", api], path: "Tests",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
