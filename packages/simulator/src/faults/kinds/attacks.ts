/** People who mean harm: a peer that gossips wrong blocks, and senders of junk. */
import { between, type FaultKind, MINUTE_MS, numberOf, SECOND_MS } from '../fault-kind.ts'
import { fraction } from '../parameters.ts'

export const lyingPeer: FaultKind = {
  name: 'lying-peer',
  meanMinutes: 60,
  parameters: { hasKey: 'flag' },
  victims: () => ['network'],
  draw: (random) => ({ durationMs: between(random, 10 * SECOND_MS, 8 * MINUTE_MS), parameters: { hasKey: random.next() < 0.5 } }),
  tell: (fault) => `a peer gossips wrong blocks${fault.parameters.hasKey === true ? ', some signed with the key of the sequencer' : ''}`,
  begin: ({ world: { lyingPeer: peer }, liars }, fault) =>
    liars.begin('network', fault.parameters.hasKey === true, (keys) => {
      peer.leave()
      if (keys.length > 0) peer.join({ hasKey: keys.includes(true) })
    }),
}

export const junkFlood: FaultKind = {
  name: 'junk-flood',
  meanMinutes: 60,
  parameters: { perSec: fraction(0.1, 1_000) },
  victims: () => ['users'],
  draw: (random) => ({ durationMs: between(random, 10 * SECOND_MS, 8 * MINUTE_MS), parameters: { perSec: between(random, 1, 15) } }),
  tell: (fault) => `the sequencer gets ${numberOf(fault, 'perSec')} transactions a second that are junk`,
  begin: ({ world: { junk }, floods }, fault) =>
    floods.begin('users', numberOf(fault, 'perSec'), (rates) => {
      if (rates.length === 0) junk.stop()
      else junk.start(Math.max(...rates))
    }),
}
