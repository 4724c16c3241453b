/** A provider of L1 that limits rates, lags behind, or gives wrong answers, to all who read L1. */
import type { Misconduct } from '../../l1/l1-provider.ts'
import { between, type Fault, type FaultKind, MINUTE_MS, numberOf, type Scene, SECOND_MS } from '../fault-kind.ts'
import { fraction, whole } from '../parameters.ts'

const MOST_BLOCKS_BEHIND = 20
const begin = ({ world, misconduct }: Scene, one: Misconduct) =>
  misconduct.begin('l1', one, (all) => {
    world.l1Provider.misconduct = all
  })
const shareOf = (fault: Fault) => numberOf(fault, 'percent') / 100
const victims = () => ['l1']

export const l1RateLimit: FaultKind = {
  name: 'l1-rate-limit',
  meanMinutes: 45,
  parameters: { percent: fraction(0, 100), status429: 'flag' },
  victims,
  draw: (random) => ({
    durationMs: between(random, 10 * SECOND_MS, 8 * MINUTE_MS),
    parameters: { percent: between(random, 10, 100), status429: random.next() < 0.5 },
  }),
  tell: (fault) => `L1 refuses ${numberOf(fault, 'percent')} percent of the calls because of their rate`,
  begin: (scene, fault) =>
    begin(scene, { kind: 'limit', share: shareOf(fault), form: fault.parameters.status429 === true ? 'http' : 'rpc' }),
}

export const l1Lag: FaultKind = {
  name: 'l1-lag',
  meanMinutes: 45,
  parameters: { percent: fraction(0, 100), blocks: whole(1, 1_000) },
  victims,
  draw: (random) => ({
    durationMs: between(random, 10 * SECOND_MS, 8 * MINUTE_MS),
    parameters: { percent: between(random, 10, 100), blocks: between(random, 1, MOST_BLOCKS_BEHIND) },
  }),
  tell: (fault) => `${numberOf(fault, 'percent')} percent of the calls to L1 reach a node ${numberOf(fault, 'blocks')} blocks behind`,
  begin: (scene, fault) => begin(scene, { kind: 'lag', share: shareOf(fault), blocks: numberOf(fault, 'blocks') }),
}

export const l1Lies: FaultKind = {
  name: 'l1-lies',
  meanMinutes: 45,
  parameters: { percent: fraction(0, 100) },
  victims,
  draw: (random) => ({
    durationMs: between(random, 10 * SECOND_MS, 8 * MINUTE_MS),
    parameters: { percent: between(random, 5, 100) },
  }),
  tell: (fault) =>
    `L1 answers ${numberOf(fault, 'percent')} percent of the calls with nothing, or with blocks, receipts and blobs that are wrong`,
  begin: (scene, fault) => begin(scene, { kind: 'lie', share: shareOf(fault) }),
}
