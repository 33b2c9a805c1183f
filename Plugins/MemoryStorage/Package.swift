// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "MemoryStorage",
    products: [.library(name: "MemoryStorage", type: .dynamic, targets: ["MemoryStoragePlugin"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        .target(
            name: "MemoryStoragePlugin",
            dependencies: [
                .product(name: "MailKernelAPI", package: "MailKernelAPI"),
                .product(name: "MailKernelConformance", package: "MailKernelConformance"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "MemoryStoragePluginTests",
            dependencies: [
                "MemoryStoragePlugin",
                .product(name: "MailKernelAPI", package: "MailKernelAPI"),
                .product(name: "MailKernelConformance", package: "MailKernelConformance"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
