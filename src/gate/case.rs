//! One call of a plan: what it is made from, and the name by which it can be made again.

use std::fmt::Write;

use rand_chacha::ChaCha8Rng;

use super::instance::{self, InstanceError, Maker, Values};
use super::own::Workshop;
use super::seed::Seed;
use super::simple;
use crate::task::known::Known;
use crate::task::{Draw, Fill, Function, Role, Task};
use crate::worker::request::{Instance, Mode};

/// Why a case is in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// One draw at the edge of its range.
    Boundary,
    /// All draws at random.
    Random,
    /// Buffers at every alignment that the contract allows.
    Alignment,
    /// Two buffers in the same memory (index into [`Function::alias`]).
    Alias(usize),
    /// A vector of known answers (index into [`Function::known`]).
    Known(usize),
    /// A timed profile (index).
    Profile(usize),
}

/// Where a call's buffers lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Each flush against the guard page at its end or at its start, by chance.
    Drawn,
    /// All flush against the guard page at their ends.
    AtEnd,
    /// All flush against the guard page at their starts.
    AtStart,
    /// Each at an alignment of its own, as near to a guard page as that allows; the number tells
    /// which.
    Spread(u64),
}

/// Elements of a buffer that hold the simplest value that the contract allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simple {
    /// Index of the buffer.
    pub buffer: usize,
    /// First element.
    pub from: u64,
    /// Element after the last.
    pub to: u64,
}

/// One call of the plan. From the seed of the grading and its own number everything else follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Index into [`Task::functions`].
    pub function: usize,
    /// Number within the function's cases.
    pub number: u64,
    /// Why it is there.
    pub origin: Origin,
    /// Draws that are not random.
    pub fixed: Values,
    /// Where its buffers lie.
    pub placement: Placement,
    /// Values that were made smaller than those of the plan.
    pub smaller: Values,
    /// Content that was made simpler than that of the plan.
    pub simple: Vec<Simple>,
}

/// Widest alignment that matters to machine code: a cache line, and the widest vector.
const LINE: u64 = 64;

impl Case {
    /// One of a plan's, with nothing made smaller or simpler.
    pub fn new(
        function: usize,
        number: u64,
        origin: Origin,
        placement: Placement,
        fixed: Values,
    ) -> Self {
        let (smaller, simple) = (Values::default(), Vec::new());
        Case { function, number, origin, fixed, placement, smaller, simple }
    }

    /// The draws that its values come from.
    pub fn draws<'t>(&self, task: &'t Task) -> &'t [(String, Draw)] {
        let f = &task.functions[self.function];
        match self.origin {
            Origin::Profile(p) => &f.profiles[p].draws,
            _ => &f.draws,
        }
    }

    /// Fills that replace those of the function's buffers.
    fn fills<'t>(&self, task: &'t Task) -> &'t [(usize, Fill)] {
        match self.origin {
            Origin::Profile(p) => &task.functions[self.function].profiles[p].fills,
            _ => &[],
        }
    }

    /// How the content of a buffer is made.
    pub fn fill<'t>(&self, task: &'t Task, buffer: usize) -> &'t Fill {
        instance::fill(&task.functions[self.function], self.fills(task), buffer)
    }

    /// The simplest element that a buffer may hold; none where elements can't be replaced one by one,
    /// as where another buffer is bound to it.
    pub fn simplest(&self, task: &Task, buffer: usize) -> Option<Vec<u8>> {
        let buffers = &task.functions[self.function].buffers;
        let name = &buffers[buffer].name;
        let bound = |b: usize| match self.fill(task, b) {
            Fill::Beside { other, .. } => other == name,
            _ => false,
        };
        if (0..buffers.len()).any(bound) {
            return None;
        }
        simple::element(self.fill(task, buffer), buffers[buffer].elem)
    }

    /// How it is called on a command line: `rank:17`. What was made smaller and simpler follows:
    /// `rank:17:n=3:text.0-2`.
    pub fn name(&self, task: &Task) -> String {
        let f = &task.functions[self.function];
        let mut name = format!("{}:{}", f.name, self.number);
        // Writing to a string can't fail.
        for (draw, value) in &self.smaller.0 {
            let _ = write!(name, ":{draw}={value}");
        }
        for Simple { buffer, from, to } in &self.simple {
            let _ = write!(name, ":{}.{from}-{to}", f.buffers[*buffer].name);
        }
        name
    }

    /// Makes it smaller and simpler as the parts of a name say. `None` where one makes no sense, or
    /// the contract does not allow it.
    pub fn reduced<'n>(
        mut self,
        parts: impl Iterator<Item = &'n str>,
        task: &Task,
    ) -> Option<Self> {
        for part in parts {
            if let Some((name, value)) = part.split_once('=') {
                let value = value.parse().ok()?;
                let (_, draw) = self.draws(task).iter().find(|(n, _)| n == name)?;
                if !draw.allows(value) {
                    return None;
                }
                self.smaller.0.insert(name.to_owned(), value);
                continue;
            }
            let (name, range) = part.rsplit_once('.')?;
            let (from, to) = range.split_once('-')?;
            let f = &task.functions[self.function];
            let buffer = f.buffers.iter().position(|b| b.name == name)?;
            let filled = f.buffers[buffer].role.is_filled();
            self.simplest(task, buffer).filter(|_| filled)?;
            let (from, to) = (from.parse().ok()?, to.parse().ok()?);
            self.simple.push(Simple { buffer, from, to });
        }
        Some(self)
    }

    /// The call itself, and the values it was made from; generators of the task's own run in
    /// `workshop`.
    pub fn make(
        &self,
        seed: Seed,
        task: &Task,
        symbols: &[String],
        workshop: &mut dyn Workshop,
    ) -> Result<(Instance, Values), InstanceError> {
        let f = &task.functions[self.function];
        let stream = |purpose| -> ChaCha8Rng { seed.stream(purpose, &f.name, self.number) };
        let draws = self.draws(task);
        let mut values = instance::draw(&f.name, draws, &self.fixed, &mut stream("gate"))?;
        if !self.smaller.0.is_empty() {
            // Other draws keep what they had; what is computed follows.
            let drawn = draws.iter().filter(|(_, draw)| !matches!(draw, Draw::Expr(_)));
            let mut fixed =
                Values(drawn.filter_map(|(n, _)| Some((n.clone(), *values.0.get(n)?))).collect());
            fixed.0.extend(self.smaller.0.clone());
            values = instance::draw(&f.name, draws, &fixed, &mut stream("gate"))?;
        }
        let maker = Maker::new(f, symbols, self.fills(task));
        let mut call = maker.make(&values, workshop, &mut stream("gate inputs"))?;
        if let Some(known) = self.known(f) {
            for (buffer, bytes) in &known.inputs {
                call.buffers[*buffer].content.clone_from(bytes);
                call.buffers[*buffer].classes.clear();
            }
        }
        self.simplify(task, &mut call);
        if let Origin::Alias(pair) = self.origin {
            share(f, pair, &mut call);
        }
        self.place(f, &mut call);
        Ok((call, values))
    }

    /// The vector that it is, with what must come out. None once it was made another call.
    pub fn known<'t>(&self, f: &'t Function) -> Option<&'t Known> {
        match self.origin {
            Origin::Known(v) if self.smaller.0.is_empty() && self.simple.is_empty() => {
                f.known.get(v)
            }
            _ => None,
        }
    }

    fn simplify(&self, task: &Task, call: &mut Instance) {
        for Simple { buffer, from, to } in &self.simple {
            let Some(simple) = self.simplest(task, *buffer) else { continue };
            let elements = call.buffers[*buffer].content.chunks_exact_mut(simple.len());
            let some = to.saturating_sub(*from) as usize;
            elements.skip(*from as usize).take(some).for_each(|e| e.copy_from_slice(&simple));
        }
    }

    fn place(&self, f: &Function, call: &mut Instance) {
        // The scalars come last, and are ours.
        for (index, b) in call.buffers.iter_mut().enumerate().take(f.buffers.len()) {
            match self.placement {
                Placement::Drawn => {}
                Placement::AtEnd => b.at_start = false,
                Placement::AtStart => b.at_start = true,
                Placement::Spread(number) => {
                    // What is aligned to a line or more has one place. An odd step visits every one
                    // of several, and unlike steps every pair of them in time.
                    let (places, index) = ((LINE / b.align).max(1), index as u64);
                    let place = number.wrapping_mul(2 * index + 1).wrapping_add(number / LINE);
                    b.phase = (place.wrapping_add(index)) % places * b.align;
                    b.align = b.align.max(LINE);
                }
            }
        }
    }

    /// How its inputs travel: read-only in clear, or sealed, in turn.
    pub fn mode(&self) -> Mode {
        if self.number.is_multiple_of(2) {
            Mode::Plain { read_only: true }
        } else {
            Mode::Sealed { chained: false }
        }
    }

    /// Its poison: two patterns that differ in every byte, in turn.
    pub fn poison(&self) -> u8 {
        if (self.number / 2).is_multiple_of(2) { 0x5A } else { 0xA5 }
    }
}

/// Puts the two buffers of a pair into the same memory, as far as they have one size: whoever takes
/// the one that is only read is given the one that is written, which holds its content.
fn share(f: &Function, pair: usize, call: &mut Instance) {
    let Some(&(a, b)) = f.alias.get(pair) else { return };
    // What is both read and written comes first, then what is written.
    let rank = |i: usize| match f.buffers[i].role {
        Role::InOut => 0,
        Role::Out => 1,
        Role::In | Role::Material | Role::State => 2,
    };
    let (to, from) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
    if call.buffers[to].bytes != call.buffers[from].bytes {
        return;
    }
    if rank(to) == 1 && rank(from) == 2 {
        call.buffers[to].role = speedgate_harness::wire::Role::InOut;
        call.buffers[to].content = call.buffers[from].content.clone();
    }
    call.buffers[to].align = call.buffers[to].align.max(call.buffers[from].align);
    // Nobody writes there any more.
    call.buffers[from].output = None;
    for argument in call.frames.iter_mut().flat_map(|frame| &mut frame.args) {
        let pointer = argument.kind == speedgate_harness::wire::arg::POINTER;
        if pointer && argument.buffer == from as u32 {
            argument.buffer = to as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::own::Blank;
    use crate::task::Buffer;
    use crate::task::expression::Expr;
    use crate::task::fixture::{self, Fixture};

    fn buffer(name: &str, fill: Fill) -> Buffer {
        Buffer { fill, ..fixture::buffer(name, Role::In, "n") }
    }

    /// `f(in x, in y, in z)`, of `n` bytes each, those of `y` bound to those of `x`.
    fn fixture() -> Fixture {
        let mut fixture = Fixture::c(&[], &["f"]);
        let f = &mut fixture.task.functions[0];
        f.draws = vec![
            ("n".into(), Draw::Range { from: 0, to: 99 }),
            ("m".into(), Draw::Range { from: 0, to: 1 << 40 }),
            ("twice".into(), Draw::Expr(Expr::parse("2 * n").unwrap())),
        ];
        let above = Fill::Beside { other: "x".into(), above: true, by: None };
        f.buffers = vec![buffer("x", Fill::Bytes), buffer("y", above), buffer("z", Fill::Bytes)];
        fixture
    }

    fn case(origin: Origin, placement: Placement) -> Case {
        Case::new(0, 8, origin, placement, Values::default())
    }

    #[test]
    fn what_another_buffer_is_bound_to_is_not_made_simple() {
        let fixture = fixture();
        let drawn = case(Origin::Random, Placement::Drawn);
        let simplest = |buffer: usize| drawn.simplest(&fixture.task, buffer);
        assert_eq!([simplest(0), simplest(1), simplest(2)], [None, None, Some(vec![0])]);
    }

    #[test]
    fn nobody_knows_the_answer_once_a_vector_was_made_smaller_or_simpler() {
        let mut fixture = fixture();
        let (draws, inputs, outputs) = (Values::default(), Vec::new(), Vec::new());
        fixture.task.functions[0].known = vec![Known { draws, inputs, outputs, ret: Some(1) }];
        let f = &fixture.task.functions[0];
        let whole = case(Origin::Known(0), Placement::AtEnd);
        assert_eq!(whole.known(f), f.known.first());
        let mut smaller = whole.clone();
        smaller.smaller.0.insert("n".into(), 1);
        let mut simpler = whole.clone();
        simpler.simple.push(Simple { buffer: 2, from: 0, to: 1 });
        assert_eq!([smaller.known(f), simpler.known(f)], [None, None]);
    }

    #[test]
    fn where_one_draw_is_made_smaller_others_stay_and_what_is_computed_follows() {
        let fixture = fixture();
        let mut drawn = case(Origin::Random, Placement::Drawn);
        drawn.fixed = Values([("n".to_owned(), 50), ("m".to_owned(), 5)].into());
        drawn.smaller.0.insert("n".into(), 7);
        let (_, values) = drawn.make(Seed::PUBLIC, &fixture.task, &[], &mut Blank).unwrap();
        assert_eq!((values.0["n"], values.0["m"], values.0["twice"]), (7, 5, 14));
    }

    #[test]
    fn who_asks_for_more_than_a_line_keeps_that_alignment() {
        let mut fixture = fixture();
        fixture.task.functions[0].buffers[0].align = 2 * LINE;
        let spread = case(Origin::Alignment, Placement::Spread(3));
        let (call, _) = spread.make(Seed::PUBLIC, &fixture.task, &[], &mut Blank).unwrap();
        let places: Vec<_> = call.buffers.iter().map(|b| (b.align, b.phase)).collect();
        assert_eq!(places[0], (2 * LINE, 0));
        assert_eq!((places[1].0, places[2].0), (LINE, LINE));
    }
}
