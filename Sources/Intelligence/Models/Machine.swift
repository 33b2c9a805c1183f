import FoundationEssentials
import Glibc

/// Whether this machine has time for background work.
package struct Machine: Sendable {
    /// Why it has no time.
    package enum Strain: String, Sendable {
        case battery, busy
    }

    /// Nil if it has time.
    package let strain: @Sendable () -> Strain?

    package init(strain: @escaping @Sendable () -> Strain?) {
        self.strain = strain
    }

    /// As Linux tells it.
    package static let linux = Machine {
        if isOnBattery(URL(filePath: "/sys/class/power_supply")) { return .battery }
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return isBusy(load: read("/proc/loadavg"), cores: cores) ? .busy : nil
    }

    /// A model in the background causes a load of one or two; other programs must add more than half of the
    /// cores.
    static func isBusy(load: String, cores: Int) -> Bool {
        guard let first = load.split(separator: " ").first, let minute = Double(first) else { return false }
        return minute > 2 + Double(max(1, cores)) * 0.75
    }

    /// A battery that is being emptied. Those of mice and headphones do not count: they are `Device`s.
    static func isOnBattery(_ supplies: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: supplies.path)) ?? []
        return names.contains { name in
            func value(_ file: String) -> String { read(supplies.appending(path: "\(name)/\(file)").path) }
            return value("type") == "Battery" && value("scope") != "Device"
                && value("status") == "Discharging"
        }
    }

    private static func read(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data.prefix(200), as: UTF8.self).split(whereSeparator: \.isNewline).first
            .map(String.init) ?? ""
    }
}
