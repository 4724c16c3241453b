import type { Clock, L2BlockRef, Logger, PayloadEnvelope } from '@keelson/primitives'
import type { L2Heads } from '../../blocks/l2-heads.ts'
import { describeBlock } from '../../blocks/l2-heads.ts'
import type { L2Refs } from '../../blocks/l2-refs.ts'
import type { DegradedStates } from '../../degraded-states.ts'
import { ConsensusError } from '../../errors.ts'
import type { SyncMode } from '../../options.ts'
import type { ResetSchedule } from '../reset/reset-schedule.ts'
import type { UnsafeFollower } from '../unsafe/unsafe-follower.ts'
import type { EngineControl } from './engine-control.ts'

export type CannotSync = () => Promise<string | null>

/**
 * Lets the execution client fetch the chain, by sending it the newest unsafe block as its head. That block then counts as safe
 * and final, because nothing below it was derived here. specs: protocol/derivation.md#engine-sync
 */
export interface EngineSync {
  /** While true, the driver does no other work. */
  readonly active: boolean
  /** Throws ConsensusError `consensus/engine-cannot-sync` (critical). */
  onReset(heads: L2Heads): Promise<void>
  step(): Promise<boolean>
  readonly retryAtMs: number | null
}

export interface EngineSyncDependencies {
  readonly genesisNumber: number
  readonly engine: Pick<EngineControl, 'heads' | 'offer' | 'adoptSynced'>
  readonly refs: Pick<L2Refs, 'refOf'>
  readonly unsafeBlocks: Pick<UnsafeFollower, 'takeHighest'>
  readonly resets: Pick<ResetSchedule, 'order'>
  readonly cannotSync: CannotSync
  readonly degraded: DegradedStates
  readonly clock: Clock
  readonly log: Logger
}

const RETRY_MS = 5_000

export function createEngineSync(mode: SyncMode, deps: EngineSyncDependencies): EngineSync {
  const { engine, refs, unsafeBlocks, resets, degraded, clock, log } = deps
  let state: 'undecided' | 'waiting' | 'syncing' | 'over' = mode === 'execution-layer' ? 'undecided' : 'over'
  let target: PayloadEnvelope | null = null
  let startedMs = 0
  let retryAtMs: number | null = null

  function over(block: L2BlockRef, how: string): void {
    state = 'over'
    target = null
    retryAtMs = null
    degraded.leave('engine-sync')
    const message = `the execution client has the chain up to block ${describeBlock(block)}: ${how}`
    log.info(message, { tookMs: clock.nowMs() - startedMs })
    resets.order({ kind: 'engine-synced', message, subject: null })
  }

  function enterWaiting(why: string): void {
    degraded.enter(
      'engine-sync',
      'the execution client fetches the chain',
      why,
      'wait; if this lasts, check the peers of the execution client, and that gossip of unsafe blocks reaches this node',
    )
  }

  return {
    get active() {
      return state === 'waiting' || state === 'syncing'
    },
    get retryAtMs() {
      return retryAtMs
    },
    async onReset(heads) {
      if (state !== 'undecided') return
      if (heads.finalized.number > deps.genesisNumber) {
        state = 'over'
        log.info('the execution client has a finalized block; blocks above it are inserted one by one', {
          finalized: describeBlock(heads.finalized),
        })
        return
      }
      const reason = await deps.cannotSync()
      if (reason !== null) {
        throw new ConsensusError(
          'consensus/engine-cannot-sync',
          'critical',
          `--syncmode execution-layer cannot work: ${reason}; use --syncmode consensus-layer, or an execution client that syncs from peers`,
        )
      }
      state = 'waiting'
      startedMs = clock.nowMs()
      enterWaiting('no unsafe block has arrived yet, so the end of the chain is unknown')
    },
    async step() {
      const newest = unsafeBlocks.takeHighest()
      if (newest !== null && newest.payload.blockNumber > (target?.payload.blockNumber ?? -1)) target = newest
      else if (target === null || (retryAtMs !== null && clock.nowMs() < retryAtMs)) return newest !== null
      retryAtMs = clock.nowMs() + RETRY_MS
      const block = refs.refOf(target)
      const unsafe = engine.heads?.unsafe ?? null
      const result = await engine.offer(target)
      if (result.kind === 'invalid') {
        log.warn('dropped an invalid unsafe block', { number: block.number, hash: block.hash, reason: result.reason })
        target = null
        retryAtMs = null
      } else if (result.kind === 'syncing') {
        if (state === 'waiting') log.info('the execution client starts to fetch the chain', { upTo: describeBlock(block) })
        state = 'syncing'
        enterWaiting(`it fetches blocks up to ${block.number}`)
      } else if (block.parentHash === unsafe?.hash) {
        over(block, 'there was nothing to fetch')
      } else {
        await engine.adoptSynced(block)
        over(block, 'it counts as safe and final, because the sequencer signed it')
      }
      return true
    },
  }
}
