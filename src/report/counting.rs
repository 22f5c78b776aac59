//! Counters as a person reads them: what was counted, and in one line what was not.

use std::fmt::Write;

use super::record::{Count, Counters, Event, EventSource, FunctionCounts, SideCounts, Source};

/// The counters' part of a report, ending in a line break.
pub fn render(counters: &Counters) -> String {
    match counters {
        Counters::Absent { reason } => format!("counters: absent ({reason})\n"),
        Counters::Counted { events, functions } => {
            let mut out = format!("counters: {}\n", summary(events));
            let busy: Vec<String> = functions.iter().filter_map(function).collect();
            let seen = |event| events.iter().any(|f| f.event == event && f.source.is_some());
            let none: Vec<String> = [Event::ContextSwitches, Event::Migrations, Event::PageFaults]
                .into_iter()
                .filter(|event| seen(*event))
                .map(|event| event.to_string())
                .collect();
            if busy.is_empty() && !functions.is_empty() && !none.is_empty() {
                // Writing to a string can't fail.
                let _ = writeln!(out, "  no {} in the calls that were counted", none.join(", "));
            }
            busy.iter().for_each(|line| out.push_str(line));
            out
        }
    }
}

/// `task clock, page faults (perf); absent: cycles (no PMU that counts it: ENOENT)`
pub fn summary(events: &[EventSource]) -> String {
    let groups: Vec<String> = groups(events).into_iter().map(|(_, text)| text).collect();
    groups.join("; ")
}

/// The events by who counts them, each in words: (everything is as it should be, text). What there
/// is comes first.
pub fn groups(events: &[EventSource]) -> Vec<(bool, String)> {
    let mut groups: Vec<(&EventSource, Vec<String>)> = Vec::new();
    for found in events {
        let same = |g: &EventSource| g.source == found.source && g.reason == found.reason;
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, names)) => names.push(found.event.to_string()),
            None => groups.push((found, vec![found.event.to_string()])),
        }
    }
    groups.sort_by_key(|(first, _)| first.source.is_none());
    let text = |(first, names): (&EventSource, Vec<String>)| {
        let (names, reason) = (names.join(", "), first.reason.as_deref().unwrap_or("unknown"));
        match first.source {
            Some(Source::Perf) => (true, format!("{names} (perf)")),
            Some(Source::Proc) => (true, format!("{names} (/proc; perf: {reason})")),
            None => (false, format!("absent: {names} ({reason})")),
        }
    };
    groups.into_iter().map(text).collect()
}

/// One function's line; none where only the time on the processor is known, which is in the table
/// of times already.
fn function(f: &FunctionCounts) -> Option<String> {
    let mut parts = Vec::new();
    for event in Event::ALL.into_iter().filter(|e| *e != Event::TaskClock) {
        let (ours, theirs) = (f.reference.of(event), f.candidate.of(event));
        if shows(ours) || shows(theirs) {
            parts.push(format!("{event} {} -> {}", short(ours), short(theirs)));
        }
    }
    for (name, of) in [("IPC", ipc as fn(&SideCounts) -> Option<f64>), ("GHz", ghz)] {
        let (ours, theirs) = (of(&f.reference), of(&f.candidate));
        if ours.is_some() || theirs.is_some() {
            let text = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.2}"));
            parts.push(format!("{name} {} -> {}", text(ours), text(theirs)));
        }
    }
    (!parts.is_empty()).then(|| {
        let mut line = format!("  {} {}, a call: ", f.function, f.profile);
        // Writing to a string can't fail.
        let _ = writeln!(line, "{}", parts.join(", "));
        line
    })
}

fn ipc(side: &SideCounts) -> Option<f64> {
    side.ipc
}

fn ghz(side: &SideCounts) -> Option<f64> {
    side.ghz
}

/// Whether a count is one that somebody would want to see: not nothing, and not noise.
fn shows(count: Option<&Count>) -> bool {
    count.is_some_and(|c| c.per_call >= 0.01 && c.per_call > 3.0 * c.error)
}

/// A count in three digits: `0.02`, `12.3`, `456`, `7.89k`, `1.23M`.
fn short(count: Option<&Count>) -> String {
    let Some(count) = count else { return "-".into() };
    let (value, unit) = match count.per_call {
        x if x < 999.5 => (x, ""),
        x if x < 999.5e3 => (x / 1e3, "k"),
        x if x < 999.5e6 => (x / 1e6, "M"),
        x => (x / 1e9, "G"),
    };
    let digits = match value {
        x if x >= 99.95 => 0,
        x if x >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(counts: &[(Event, f64)]) -> SideCounts {
        let count = |(event, per_call): &(Event, f64)| Count {
            event: *event,
            per_call: *per_call,
            error: 0.0,
            running: 1.0,
        };
        SideCounts { counts: counts.iter().map(count).collect(), ..SideCounts::default() }
    }

    fn source(event: Event, source: Option<Source>, reason: Option<&str>) -> EventSource {
        EventSource { event, source, reason: reason.map(Into::into) }
    }

    fn counted(reference: SideCounts, candidate: SideCounts) -> Counters {
        let events = vec![
            source(Event::Cycles, None, Some("no PMU that counts it: ENOENT")),
            source(Event::Instructions, None, Some("no PMU that counts it: ENOENT")),
            source(Event::PageFaults, Some(Source::Perf), None),
        ];
        let (function, profile) = ("f".into(), "p".into());
        let f = FunctionCounts { function, profile, calls: 8, reference, candidate };
        Counters::Counted { events, functions: vec![f] }
    }

    #[test]
    fn what_is_absent_is_named_once_with_its_reason() {
        let still = side(&[(Event::PageFaults, 0.0), (Event::TaskClock, 1e6)]);
        let text = render(&counted(still.clone(), still));
        assert_eq!(
            text,
            "counters: page faults (perf); absent: cycles, instructions (no PMU that counts it: \
             ENOENT)\n  no page faults in the calls that were counted\n"
        );
        let absent = Counters::Absent { reason: "nothing was timed".into() };
        assert_eq!(render(&absent), "counters: absent (nothing was timed)\n");
    }

    #[test]
    fn only_what_is_present_is_shown() {
        let mut ours = side(&[(Event::Cycles, 1_234_567.0), (Event::PageFaults, 0.0)]);
        ours.ipc = Some(2.5);
        let theirs = side(&[(Event::Cycles, 45_678.0), (Event::PageFaults, 12.34)]);
        let text = render(&counted(ours, theirs));
        let line =
            "  f p, a call: cycles 1.23M -> 45.7k, page faults 0.00 -> 12.3, IPC 2.50 -> -\n";
        assert!(text.ends_with(line), "{text}");
    }

    #[test]
    fn noise_is_not_shown() {
        let mut vague = side(&[(Event::ContextSwitches, 0.5)]);
        vague.counts[0].error = 0.3;
        let text = render(&counted(side(&[]), vague));
        assert!(text.contains("no page faults in"), "{text}");
    }
}
