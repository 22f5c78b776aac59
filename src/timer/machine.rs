//! What can be said of the machine without disturbing it. What the kernel does not say is absent,
//! never assumed.

use std::fs;

use crate::report::record::{Machine, Tsc};
use crate::worker::{clock, cores};

/// The machine as it is now; what only a run can tell (stopwatch, priority, cores) is null.
pub fn machine() -> Machine {
    let cores = cores::allowed();
    Machine {
        cpu: cpu_name(),
        cores: cores.len().max(1),
        smt: read("/sys/devices/system/cpu/smt/active").map(|text| text == "1"),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(|| "unknown".into()),
        hypervisor: cpuid::hypervisor(),
        tsc: match cpuid::tsc() {
            true if clock::tsc_is_invariant() => Tsc::Invariant,
            true => Tsc::Variable,
            false => Tsc::Absent,
        },
        tsc_ghz: clock::tsc_ghz(),
        governor: cores.first().and_then(|core| {
            read(&format!("/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"))
        }),
        large_pages: read("/sys/kernel/mm/transparent_hugepage/enabled")
            .map(|modes| !modes.contains("[never]")),
        load: read("/proc/loadavg")
            .and_then(|text| text.split_whitespace().next().and_then(|n| n.parse().ok())),
        stopwatch: None,
        priority: None,
        supervisor_core: None,
        worker_core: None,
    }
}

/// Name of the processor with what tells one generation from another: hypervisors often show a
/// name that many share.
fn cpu_name() -> String {
    let info = read("/proc/cpuinfo").unwrap_or_default();
    let value = |wanted: &str| {
        let mut lines = info.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(key, _)| key.trim() == wanted).map(|(_, value)| value.trim().to_owned())
    };
    let name = value("model name").unwrap_or_else(|| format!("unknown {}", std::env::consts::ARCH));
    match (value("cpu family"), value("model"), value("stepping")) {
        (Some(family), Some(model), Some(stepping)) => {
            format!("{name} (family {family}, model {model}, stepping {stepping})")
        }
        _ => name,
    }
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// What an x86-64 processor says of itself.
#[cfg(target_arch = "x86_64")]
mod cpuid {
    use std::arch::x86_64::__cpuid;

    /// Leaf 1, EDX bit 4: there is a time stamp counter.
    pub fn tsc() -> bool {
        __cpuid(1).edx & (1 << 4) != 0
    }

    /// Leaf 1, ECX bit 31: a hypervisor runs. Leaf 4000_0000h: its signature in EBX, ECX, EDX.
    pub fn hypervisor() -> Option<String> {
        if __cpuid(1).ecx & (1 << 31) == 0 {
            return None;
        }
        let leaf = __cpuid(0x4000_0000);
        let bytes = [leaf.ebx, leaf.ecx, leaf.edx].map(u32::to_le_bytes).concat();
        let name: String =
            bytes.iter().filter(|b| b.is_ascii_graphic()).map(|b| char::from(*b)).collect();
        Some(match name.as_str() {
            "KVMKVMKVM" => "kvm".into(),
            "VMwareVMware" => "vmware".into(),
            "MicrosoftHv" => "hyper-v".into(),
            "XenVMMXenVMM" => "xen".into(),
            "" => "unknown hypervisor".into(),
            _ => name,
        })
    }
}

/// Other architectures have no time stamp counter of this kind and no such leaf.
#[cfg(not(target_arch = "x86_64"))]
mod cpuid {
    pub fn tsc() -> bool {
        false
    }

    pub fn hypervisor() -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_something_of_this_machine() {
        let machine = machine();
        assert!(machine.cores >= 1);
        assert!(!machine.cpu.is_empty() && !machine.kernel.is_empty());
        assert_eq!(machine.tsc_ghz.is_some(), machine.tsc == Tsc::Invariant);
    }
}
