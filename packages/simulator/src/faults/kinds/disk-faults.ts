import { between, type FaultKind, MINUTE_MS, numberOf, SECOND_MS } from '../fault-kind.ts'
import { fraction } from '../parameters.ts'

export const slowDisk: FaultKind = {
  name: 'slow-disk',
  meanMinutes: 45,
  parameters: { factor: fraction(1, 100_000) },
  victims: ({ nodes, submitters }) => [...nodes, ...submitters],
  draw: (random) => ({
    durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS),
    parameters: { factor: between(random, 10, 2_000) },
  }),
  tell: (fault) => `the disk of ${fault.victim} is ${numberOf(fault, 'factor')} times slower`,
  begin: ({ world, slowness }, fault) =>
    slowness.begin(fault.victim, numberOf(fault, 'factor'), (factors) => {
      for (const disk of world.disksOf(fault.victim)) disk.slowness = Math.max(1, ...factors)
    }),
}

export const fullDisk: FaultKind = {
  name: 'full-disk',
  meanMinutes: 60,
  parameters: {},
  victims: ({ nodes, submitters }) => [...nodes, ...submitters],
  draw: (random) => ({ durationMs: between(random, 10 * SECOND_MS, 5 * MINUTE_MS), parameters: {} }),
  tell: ({ victim }) => `the disk of ${victim} is full`,
  begin: ({ world, fullness }, { victim }) =>
    fullness.begin(victim, null, ({ length }) => {
      for (const disk of world.disksOf(victim)) disk.full = length > 0
    }),
}
