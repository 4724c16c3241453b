/** Wall clocks that jump, and clocks that run fast or slow until a time server corrects them. */
import { between, type FaultKind, MINUTE_MS, numberOf } from '../fault-kind.ts'
import { fraction } from '../parameters.ts'

/** Gossip refuses blocks that are more than five seconds ahead, so a machine has to stay well below. */
const MAX_JUMP_MS = 2_000
/** Quartz without a time server; the NTP daemon gives up at 500. */
const MAX_DRIFT_PPM = 200

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export const clockJump: FaultKind = {
  name: 'clock-jump',
  meanMinutes: 60,
  parameters: { ms: fraction(-MAX_JUMP_MS, MAX_JUMP_MS) },
  victims: ({ nodes, submitters }) => [...nodes, ...submitters],
  draw: (random) => ({
    durationMs: between(random, MINUTE_MS, 20 * MINUTE_MS),
    parameters: { ms: between(random, -MAX_JUMP_MS, MAX_JUMP_MS) },
  }),
  tell: (fault) => `the clock of ${fault.victim} jumps by ${numberOf(fault, 'ms')} ms`,
  begin: ({ world: { simulation }, skews }, fault) =>
    skews.begin(fault.victim, numberOf(fault, 'ms'), (jumps) => {
      simulation.clockOf(fault.victim).skewMs = sum(jumps)
    }),
}

export const clockDrift: FaultKind = {
  name: 'clock-drift',
  meanMinutes: 90,
  parameters: { ppm: fraction(-MAX_DRIFT_PPM, MAX_DRIFT_PPM) },
  victims: ({ nodes, submitters }) => [...nodes, ...submitters],
  draw: (random) => ({
    durationMs: between(random, 10 * MINUTE_MS, 120 * MINUTE_MS),
    parameters: { ppm: between(random, -MAX_DRIFT_PPM, MAX_DRIFT_PPM) },
  }),
  tell: (fault) => `the clock of ${fault.victim} gains ${numberOf(fault, 'ppm')} microseconds a second`,
  begin: ({ world: { simulation }, drifts }, fault) =>
    drifts.begin(fault.victim, numberOf(fault, 'ppm'), (rates) => {
      const clock = simulation.clockOf(fault.victim)
      clock.drift(sum(rates))
      if (rates.length === 0) clock.synchronize()
    }),
}
