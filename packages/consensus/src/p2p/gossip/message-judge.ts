/** Validates gossip messages within a rate per peer. New valid blocks are free: a correct peer sends little else. */
import type { Clock, Logger, PayloadVersion } from '@keelson/primitives'
import { createLogThrottle, type Metrics } from '@keelson/runtime'
import type { GossipVerdict } from '../../ports.ts'
import { createPeerBudget } from '../peers/peer-budget.ts'
import type { BlockJudgement, BlockRejection, BlockValidator } from './block-validator.ts'

export interface MessageJudgeDependencies {
  readonly topics: ReadonlyMap<string, PayloadVersion>
  readonly validator: BlockValidator
  readonly onJudgement: (judgement: BlockJudgement, from: string) => void
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: Metrics
}

export type MessageJudge = (topic: string, data: Uint8Array, from: string) => GossipVerdict

/** Rate of messages other than new valid blocks; a reorg or pause causes a few. */
const FROM_ONE_PEER = { perSec: 10, burst: 60 }
/** Time after an accepted block in which this machine's clock counts as correct. */
const CLOCK_PROVEN_FOR_MS = 60_000

const REMEDIES: Partial<Record<BlockRejection | 'rate-limited', string>> = {
  'timestamp-too-old': "compare this machine's clock with another; a peer that replays old blocks is sent away by its score",
  'timestamp-in-future': "compare this machine's clock with another",
  'signature-invalid': 'if all peers are affected, see the unsafe block signer in the system config contract, and the chain id',
}

export function createMessageJudge({ topics, validator, onJudgement, clock, log, metrics }: MessageJudgeDependencies): MessageJudge {
  const judged = metrics?.counter('gossip_blocks_total', 'gossiped blocks judged', ['verdict', 'reason'])
  const budget = createPeerBudget(FROM_ONE_PEER, clock)
  let acceptedMs = Number.NEGATIVE_INFINITY
  const throttles = new Map<string, ReturnType<typeof createLogThrottle>>()

  const isClockProven = () => clock.monotonicMs() - acceptedMs <= CLOCK_PROVEN_FOR_MS

  function tell(reason: BlockRejection | 'rate-limited', verdict: GossipVerdict, peer: string): void {
    const throttle = throttles.get(reason) ?? createLogThrottle(clock)
    throttles.set(reason, throttle)
    throttle((more) =>
      log.warn('a gossiped block was not accepted', {
        verdict,
        reason,
        peer,
        ...(more === 0 ? {} : { more }),
        ...(REMEDIES[reason] === undefined ? {} : { remedy: REMEDIES[reason] }),
      }),
    )
  }

  return (topic, data, from) => {
    const version = topics.get(topic)
    if (version === undefined) return 'ignore'
    if (budget.isSpent(from)) {
      // If the local clock is wrong, valid blocks that look old may have used up the budget, so the peer is not blamed.
      const verdict = isClockProven() ? 'excess' : 'defer'
      judged?.inc(1, { verdict, reason: 'rate-limited' })
      tell('rate-limited', verdict, from)
      return verdict
    }
    const judgement = validator.judge(version, data)
    judged?.inc(1, { verdict: judgement.verdict, reason: judgement.verdict === 'accept' ? 'valid' : judgement.reason })
    if (judgement.verdict === 'reject') tell(judgement.reason, 'reject', from)
    onJudgement(judgement, from)
    if (judgement.verdict === 'accept') acceptedMs = clock.monotonicMs()
    else budget.spend(from)
    // The next copy is judged again, because the signer may be known by then.
    if (judgement.verdict === 'ignore' && judgement.reason === 'signer-unknown') return 'defer'
    // A wrong local clock would otherwise ban every peer.
    const mayBeOurClock = judgement.verdict === 'reject' && isAboutTime(judgement.reason) && !isClockProven()
    return mayBeOurClock ? 'ignore' : judgement.verdict
  }
}

function isAboutTime(reason: BlockRejection): boolean {
  return reason === 'timestamp-too-old' || reason === 'timestamp-in-future'
}
