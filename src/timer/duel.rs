//! Two candidates in turn, replicate by replicate, each against the reference: which of them is
//! faster, whatever the hour. They never live at the same time, and what they share (inputs, layouts
//! of the reference, a slow minute) cancels in their difference, which is narrowed to the budget's
//! width.

use std::time::{Duration, Instant};

use super::contest::{CONFIDENCE, Contest, Halt, Results, Tally};
use crate::worker::Worker;

/// Number of the first replicate: no contest comes so far, so that inputs are new.
const FIRST: usize = 1 << 20;

impl Contest<'_> {
    /// Runs it. `start` gives the workers of a replicate (reference, candidate, blank) for one of the
    /// two; `tell` hears how much of the time is spent. An error comes with whose it is.
    pub fn duel<E>(
        &self,
        oracle: &mut Worker,
        mut start: impl FnMut(usize, usize) -> Result<[Worker; 3], E>,
        tell: &dyn Fn(Duration),
    ) -> Result<[Results; 2], (usize, Halt<E>)> {
        let begin = Instant::now();
        let mut tallies = [Tally::default(), Tally::default()];
        for number in 0..self.budget.replicates.1 {
            let from = Instant::now();
            for who in in_turn(number) {
                let (start, tally) = (|| start(who, number), &mut tallies[who]);
                self.once(FIRST + number, start, oracle, tally, &|| tell(begin.elapsed()))
                    .map_err(|halt| (who, halt))?;
            }
            if self.over(number, begin, from)
                || self.enough(number) && self.lead_width(&tallies)? <= self.budget.width
            {
                break;
            }
        }
        let [first, second] = tallies;
        let end = |who: usize, tally: &Tally| self.end(tally).map_err(|halt| (who, halt));
        Ok([end(0, &first)?, end(1, &second)?])
    }

    /// Half-width of the interval of the difference.
    fn lead_width<E>(&self, tallies: &[Tally; 2]) -> Result<f64, (usize, Halt<E>)> {
        let step = |who: usize| {
            let step = self.results(&tallies[who]).and_then(|results| self.step(&results));
            step.map_err(|halt| (who, halt))
        };
        let lead = step(0)?.lead(&step(1)?, CONFIDENCE);
        Ok(lead.map_err(|error| (0, Halt::Stats(error)))?.half_width())
    }
}

/// Whoever was last is first next.
fn in_turn(number: usize) -> [usize; 2] {
    if number.is_multiple_of(2) { [0, 1] } else { [1, 0] }
}
