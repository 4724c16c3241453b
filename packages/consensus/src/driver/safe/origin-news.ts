import type { Clock, L1BlockRef, Logger } from '@keelson/primitives'
import { createProgressLog } from '@keelson/runtime'
import type { L1View } from '../../l1/l1-view.ts'
import type { ConsensusMetrics } from '../../metrics.ts'

/** Within this distance of the head, derivation follows L1 and there is no progress to log. */
const FOLLOWS_WITHIN_BLOCKS = 30

/** Reports the L1 block of derivation, and while it is far behind L1 its rate and the time left. */
export function createOriginNews(
  metrics: Pick<ConsensusMetrics, 'derivationOrigin'>,
  view: Pick<L1View, 'head'>,
  clock: Pick<Clock, 'monotonicMs'>,
  log: Logger,
): (l1Origin: L1BlockRef) => void {
  const progress = createProgressLog('deriving the chain from L1', clock, log)
  return (l1Origin) => {
    metrics.derivationOrigin(l1Origin)
    const { head } = view
    if (head !== null && head.number - l1Origin.number > FOLLOWS_WITHIN_BLOCKS) progress.note(l1Origin.number, head.number)
  }
}
