import { between, type FaultKind, numberOf } from '../fault-kind.ts'
import { whole } from '../parameters.ts'

const SLOT_MS = 12_000
const MOST_REPLACED = 12
const nothing = () => undefined

export const l1Reorg: FaultKind = {
  name: 'l1-reorg',
  meanMinutes: 30,
  parameters: { depth: whole(1, 63) },
  victims: () => ['l1'],
  draw: (random) => ({ durationMs: 0, parameters: { depth: 1 + Math.floor(random.next() ** 3 * MOST_REPLACED) } }),
  tell: (fault) =>
    numberOf(fault, 'depth') === 1 ? 'L1 replaces its top block' : `L1 replaces its top ${numberOf(fault, 'depth')} blocks`,
  begin({ world: { l1 } }, fault) {
    l1.reorg(numberOf(fault, 'depth'))
    return nothing
  },
}

export const l1Stall: FaultKind = {
  name: 'l1-stall',
  meanMinutes: 60,
  parameters: {},
  victims: () => ['l1'],
  draw: (random) => ({ durationMs: between(random, SLOT_MS, 25 * SLOT_MS), parameters: {} }),
  tell: () => 'L1 makes no blocks',
  begin: ({ world: { l1 }, stops }) =>
    stops.begin('l1', null, ({ length }) => {
      l1.stalled = length > 0
    }),
}
