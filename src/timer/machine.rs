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
        load: read("/proc/loadavg")
            .and_then(|text| text.split_whitespace().next().and_then(|n| n.parse().ok())),
        stopwatch: None,
        priority: None,
        supervisor_core: None,
        worker_core: None,
    }
}

/// Share of all processor time since boot that the hypervisor gave to others. Absent where the
/// kernel does not say.
pub fn stolen() -> Option<f64> {
    stolen_share(&read("/proc/stat")?)
}

/// The same from the text of `/proc/stat`.
fn stolen_share(stat: &str) -> Option<f64> {
    let all = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // user nice system idle iowait irq softirq steal; the guest columns are part of user and nice
    let ticks: Vec<f64> = all.split_whitespace().take(8).map_while(|n| n.parse().ok()).collect();
    let total: f64 = ticks.iter().sum();
    (ticks.len() == 8 && total > 0.0).then(|| ticks[7] / total)
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

    #[test]
    fn share_of_stolen_time() {
        let stat = "cpu  10 0 20 60 0 0 0 10 5 5\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(stolen_share(stat), Some(0.1));
        for absent in ["", "cpu  1 2 3\n", "cpu  0 0 0 0 0 0 0 0\n", "cpu a b c d e f g h\n"] {
            assert_eq!(stolen_share(absent), None);
        }
    }
}
