// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "MailKernelConformance",
    products: [
        .library(name: "MailKernelConformance", type: .dynamic, targets: ["MailKernelConformance"])
    ],
    dependencies: [.package(path: "../MailKernelAPI"), .package(path: "../StoreRules")],
    targets: [
        .target(
            name: "MailKernelConformance",
            dependencies: [
                .product(name: "MailKernelAPI", package: "MailKernelAPI"),
                .product(name: "StoreRules", package: "StoreRules"),
            ],
            path: "Kit",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "MailKernelConformanceTests",
            dependencies: [
                "MailKernelConformance", .product(name: "MailKernelAPI", package: "MailKernelAPI"),
            ],
            path: "Tests",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
