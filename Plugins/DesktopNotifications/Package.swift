// swift-tools-version: 6.3
import PackageDescription

let api = Target.Dependency.product(name: "MailKernelAPI", package: "MailKernelAPI")
let conformance = Target.Dependency.product(name: "MailKernelConformance", package: "MailKernelConformance")
let exports: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "DesktopNotifications",
    products: [.library(name: "DesktopNotifications", type: .dynamic, targets: ["DesktopNotifications"])],
    dependencies: [
        .package(path: "../../Sources/MailKernelAPI"),
        .package(path: "../../Sources/MailKernelConformance"),
    ],
    targets: [
        .systemLibrary(
            name: "CDesktopBus", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .target(
            name: "DesktopNotifications", dependencies: ["CDesktopBus", api],
            swiftSettings: [.treatAllWarnings(as: .error)], linkerSettings: exports
        ),
        .testTarget(
            name: "DesktopNotificationsTests", dependencies: ["DesktopNotifications", api, conformance],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)
