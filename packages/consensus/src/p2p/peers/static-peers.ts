import type { Clock } from '@keelson/primitives'
import type { DegradedStates } from '../../degraded-states.ts'

export interface StaticPeersDependencies {
  readonly connect: (address: string, signal: AbortSignal) => Promise<string | null>
  readonly clock: Clock
  readonly degraded: DegradedStates
}

const FIRST_REDIAL_MS = 250
const LONGEST_REDIAL_MS = 5_000

export async function keepStaticPeers(addresses: readonly string[], deps: StaticPeersDependencies, signal: AbortSignal): Promise<void> {
  const { connect, clock, degraded } = deps
  let delayMs = FIRST_REDIAL_MS
  while (!signal.aborted && addresses.length > 0) {
    const failures = await Promise.all(addresses.map(async (address) => [address, await connect(address, signal)] as const))
    const lost = failures.flatMap(([address, failure]) => (failure === null ? [] : [`${address}: ${failure}`]))
    if (lost.length === 0 || signal.aborted) degraded.leave('gossip')
    else
      degraded.enter(
        'gossip',
        'a configured peer is not reached; unsafe blocks may come late',
        lost.join('; '),
        'check its address and that its p2p port is open; it is dialled again, and blocks are still derived from L1',
      )
    await clock.sleep(delayMs, signal).catch(() => undefined)
    delayMs = lost.length === 0 ? FIRST_REDIAL_MS * 4 : Math.min(delayMs * 2, LONGEST_REDIAL_MS)
  }
}
