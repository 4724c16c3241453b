import type { BlockPosition, ForkPoints } from '../chain-rules.ts'
import { type ForkId, forkIdText, forkSteps, passedSteps } from './fork-id.ts'

export type ForkVerdict =
  | { readonly kind: 'accepted' }
  /**
   * `remote-stale`: the peer does not know a fork that has passed here. `incompatible`: the peer is on another chain, or follows a fork
   * that is not known here.
   */
  | { readonly kind: 'refused'; readonly reason: 'remote-stale' | 'incompatible'; readonly detail: string }

export type ForkFilter = (remote: ForkId) => ForkVerdict

const ACCEPTED: ForkVerdict = { kind: 'accepted' }
/** A larger number announced as the next fork is a time, whatever the head's own next fork is (EIP-6122). */
const FIRST_TIME_SEC = 1_438_269_973n

/** Applies the validation rules of EIP-2124 at the head of the moment. */
export function createForkFilter(points: ForkPoints, head: () => BlockPosition): ForkFilter {
  const all = forkSteps(points)
  const hashes = [all.genesisHash, ...all.steps.map(({ hash }) => hash)]
  const last = all.steps.some(({ by }) => by === 'timestampSec') ? 'timestampSec' : 'number'
  return (remote) => {
    const local = head()
    const passed = passedSteps(all, local)
    const shared = hashes.indexOf(remote.hash)
    if (shared < 0) return refused('incompatible', `fork id ${forkIdText(remote)} is of another chain or of a fork that is not known here`)
    if (shared > passed) return ACCEPTED
    if (shared < passed) {
      const expected = all.steps[shared]?.at
      if (remote.next === BigInt(expected ?? 0)) return ACCEPTED
      return refused('remote-stale', `fork id ${forkIdText(remote)} does not know the fork at ${expected}, which has passed`)
    }
    const by = all.steps[passed]?.by ?? last
    const isTime = by === 'timestampSec' || remote.next > FIRST_TIME_SEC
    const isPast = remote.next > 0n && (BigInt(local[by]) >= remote.next || (isTime && BigInt(local.timestampSec) >= remote.next))
    return isPast ? refused('incompatible', `fork id ${forkIdText(remote)} names a fork that has passed and is not known here`) : ACCEPTED
  }
}

function refused(reason: 'remote-stale' | 'incompatible', detail: string): ForkVerdict {
  return { kind: 'refused', reason, detail }
}
