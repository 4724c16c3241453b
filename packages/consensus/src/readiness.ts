import { type Clock, counted, type L1BlockRef, type L2BlockRef } from '@keelson/primitives'
import type { CheckResult, HealthCheck } from '@keelson/runtime'
import type { Driver } from './driver/driver.ts'
import type { ForkStop } from './fork-stop.ts'
import { l1AgeLimitSec } from './l1/l1-pace.ts'
import type { L1View } from './l1/l1-view.ts'
import type { NewerRules } from './newer-rules/newer-rules.ts'
import type { ConsensusNodeOptions } from './options.ts'
import type { BlockGossip } from './ports.ts'

export interface HealthCheckDependencies {
  readonly driver: Pick<Driver, 'status' | 'degraded' | 'heardHead'>
  readonly view: Pick<L1View, 'blockTimeSec'>
  /** Once derivation or building stops at a fork, old heads and a lag behind L1 are expected. */
  readonly stops: { readonly forkStop: Pick<ForkStop, 'endsDerivation'>; readonly newerRules: Pick<NewerRules, 'stopped' | 'endsReading'> }
  readonly gossip: BlockGossip | null
  readonly clock: Clock
}

export function createHealthChecks(
  options: ConsensusNodeOptions,
  { driver, view, stops: { forkStop, newerRules }, gossip, clock }: HealthCheckDependencies,
): readonly HealthCheck[] {
  const ageSec = (timestampSec: number) => Math.floor(clock.nowMs() / 1000) - timestampSec
  const young = (what: string, timestampSec: number, limitSec: number, remedy: string): CheckResult => {
    const age = ageSec(timestampSec)
    if (age <= limitSec) return { ok: true, detail: `${age} s old` }
    return { ok: false, reason: `${what} is ${age} s old, at most ${limitSec} s are expected`, remedy }
  }
  const stoppedAtFork = (head: L2BlockRef, currentL1: L1BlockRef): CheckResult | null =>
    newerRules.stopped || newerRules.endsReading || forkStop.endsDerivation(head, currentL1)
      ? { ok: true, detail: `block ${head.number}, where this release stops` }
      : null
  const withStatus = (check: (status: NonNullable<ReturnType<Driver['status']>>) => CheckResult) => (): CheckResult => {
    const status = driver.status()
    return status === null
      ? {
          ok: false,
          reason: 'starting: the start of derivation is not known yet',
          remedy: 'wait; if it lasts, check L1 and the execution client',
        }
      : check(status)
  }
  return [
    {
      name: 'head-age',
      check: withStatus(
        ({ unsafeL2, currentL1 }) =>
          stoppedAtFork(unsafeL2, currentL1) ??
          young(
            'the unsafe head',
            unsafeL2.timestampSec,
            options.maxHeadAgeSec,
            'see the other checks; a sequencer may be stopped, or peers and batches missing',
          ),
      ),
    },
    {
      name: 'head-lag',
      check: withStatus(({ unsafeL2, currentL1 }) => {
        const stopped = stoppedAtFork(unsafeL2, currentL1)
        if (stopped !== null) return stopped
        const heard = driver.heardHead
        const lag = heard === null ? 0 : Math.max(0, heard - unsafeL2.number)
        if (lag <= options.maxHeadLagBlocks) return { ok: true, detail: `${counted(lag, 'block')} behind the highest one heard` }
        return {
          ok: false,
          reason: `the unsafe head ${unsafeL2.number} is ${counted(lag, 'block')} behind block ${heard}, which peers delivered`,
          remedy: 'wait while it catches up; if it does not move, see the other checks and the log',
        }
      }),
    },
    {
      name: 'l1-age',
      check: withStatus(({ headL1 }) =>
        young('the L1 head', headL1.timestampSec, l1AgeLimitSec(options.maxL1AgeSec, view.blockTimeSec), 'check the L1 node'),
      ),
    },
    {
      name: 'derivation',
      check: withStatus(({ pendingSafeL2, currentL1, headL1 }) => {
        const stopped = stoppedAtFork(pendingSafeL2, currentL1)
        if (stopped !== null) return stopped
        const lag = headL1.number - currentL1.number
        const expected = options.verifierL1Confirmations + MAX_DERIVATION_LAG_L1_BLOCKS
        if (lag <= expected) return { ok: true, detail: `${lag} L1 blocks behind` }
        return {
          ok: false,
          reason: `derivation is ${counted(lag, 'L1 block')} behind L1`,
          remedy: 'wait while it catches up; if it does not move, see the log',
        }
      }),
    },
    {
      name: 'peers',
      check: () => {
        const count = gossip?.peers().length ?? 0
        if (count >= options.minPeers) return { ok: true, detail: gossip === null ? 'gossip is off' : counted(count, 'peer') }
        return {
          ok: false,
          reason: `${counted(count, 'peer')}, at least ${options.minPeers} are expected`,
          remedy: 'check the configured peers and that the p2p port is reachable',
        }
      },
    },
    {
      name: 'no-degraded-state',
      check: () => {
        const [first, ...others] = driver.degraded
        if (first === undefined) return { ok: true }
        const more = others.length === 0 ? '' : ` (and ${others.length} more)`
        const sinceSec = Math.floor((clock.nowMs() - first.sinceMs) / 1000)
        const lasting = sinceSec < 1 ? '' : ` for ${sinceSec} s`
        return { ok: false, reason: `${first.what}${lasting}: ${first.why}${more}`, remedy: first.remedy }
      },
    },
  ]
}

const MAX_DERIVATION_LAG_L1_BLOCKS = 10
