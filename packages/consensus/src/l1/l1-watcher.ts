/**
 * Looks at L1's head, safe and finalized blocks and hands what is new to the driver. An L1 that goes back
 * or replaces blocks is noticed here, before derivation reads on.
 */
import type { L1Reader } from '@keelson/derivation'
import type { Clock, L1BlockRef, Logger } from '@keelson/primitives'
import type { DegradedStates } from '../degraded-states.ts'
import type { DriverInput } from '../driver/driver-api.ts'
import { messageOf } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { createL1History } from './l1-history.ts'
import { createL1Labels } from './l1-labels.ts'

export interface L1WatcherDependencies {
  readonly l1: L1Reader
  readonly submit: (input: DriverInput) => unknown
  readonly degraded: DegradedStates
  readonly metrics: Pick<ConsensusMetrics, 'l1LabelRefused'>
  readonly clock: Clock
  readonly log: Logger
  /** Set for an L1 that may lose finalized blocks. */
  readonly allowFinalizedReorg: boolean
}

export interface L1Watcher {
  /** One look; never throws. False when L1 could not be asked. */
  step(): Promise<boolean>
}

const INPUT_OF_LABEL = { safe: 'l1-safe', finalized: 'l1-finalized' } as const
/** Blocks read per head to prove the labels: few, so that a rate-limited L1 still serves derivation. */
const READS_FOR_LABELS = 16
/** Without an answer for so long, L1 counts as silent, whatever the request that hangs still hopes for. */
export const L1_SILENT_AFTER_MS = 10_000
/** An earlier head that is known may be the answer of a node that lags: it counts when it was given this often in a row. */
const LOOKS_UNTIL_LOWER = 3

export function createL1Watcher(deps: L1WatcherDependencies): L1Watcher {
  const { l1: source, submit, degraded, metrics, clock, log } = deps
  /** When the first question was asked that no answer has come after; null while L1 answers. */
  let unansweredSinceMs: number | null = null
  const l1: Pick<L1Reader, 'blockRef'> = {
    async blockRef(at) {
      unansweredSinceMs ??= clock.nowMs()
      const block = await source.blockRef(at)
      unansweredSinceMs = null
      return block
    },
  }
  const labels = createL1Labels(l1, { mayGoBack: deps.allowFinalizedReorg })
  const history = createL1History(l1)
  let shown: L1BlockRef | null = null
  let lowerLooks = 0

  const look = async () => {
    const head = await l1.blockRef('latest')
    if (head === null || head.hash === shown?.hash) {
      lowerLooks = 0
      return
    }
    const before = history.head
    const change = await history.compare(head)
    if (change === 'earlier' && ++lowerLooks < LOOKS_UNTIL_LOWER) return
    lowerLooks = 0
    const proven = await labelsMove(head, 0)
    if (change === 'replaced') {
      const lastCommon = await history.forgetReplaced(head.number)
      sayReplaced(before ?? head, head, lastCommon)
      submit({ kind: 'l1-reorg', lastCommon, head })
    } else if (change === 'earlier' && before !== null && head.number < before.number) {
      log.warn(`L1 went back from ${before.number} to ${head.number}`, {
        why: 'it lost its newest blocks, or another node behind the same URL answers, which lags',
        next: 'the node waits; if other blocks take their place it goes back too',
      })
    }
    history.add(head)
    shown = head
    submit({ kind: 'l1-head', block: head })
    if (!proven) await labelsMove(head, READS_FOR_LABELS)
  }

  const sayReplaced = (before: L1BlockRef, head: L1BlockRef, lastCommon: number) => {
    const fields = { before: before.hash, now: head.hash, lastCommonBlock: lastCommon }
    if (head.number < before.number)
      log.warn(`L1 went back from ${before.number} to ${head.number}: blocks after ${lastCommon} are replaced`, fields)
    else log.info(`L1 replaced its blocks after ${lastCommon}`, { ...fields, from: before.number, to: head.number })
  }

  /**
   * Submits the labels before the head, so that the driver handles the head with them. Returns false while a label is
   * unproven.
   */
  const labelsMove = async (head: L1BlockRef, maxReads: number): Promise<boolean> => {
    const { moved, refused, unproven } = await labels.look(head, maxReads)
    for (const { label, block } of moved) submit({ kind: INPUT_OF_LABEL[label], block })
    for (const { label, block, fault } of refused) {
      metrics.l1LabelRefused(label, fault)
      if (fault === 'went-back') continue
      degraded.enter(
        'l1-labels',
        `what L1 calls ${label} is not believed`,
        `${fault}: block ${block.number} (${block.hash}) under the head ${head.number} (${head.hash})`,
        'finality waits; check that the L1 node is synced and honest, and give several URLs in --l1.rpc',
      )
    }
    if (refused.every(({ fault }) => fault === 'went-back') && !unproven) degraded.leave('l1-labels')
    return !unproven
  }

  const silent = (why: string) =>
    degraded.enter(
      'l1',
      'L1 does not answer',
      why,
      'check the L1 URL and that L1 runs; the node goes on by itself when it answers',
      unansweredSinceMs ?? clock.nowMs(),
    )

  /** A request may hang for long before it fails: what is wrong is said before. */
  const heedSilence = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const leftMs = (unansweredSinceMs ?? clock.nowMs()) + L1_SILENT_AFTER_MS - clock.nowMs()
      if (leftMs <= 0) return silent(`a request has hung for more than ${L1_SILENT_AFTER_MS / 1000} s`)
      await clock.sleep(leftMs, signal).catch(() => undefined)
    }
  }

  return {
    async step() {
      const done = new AbortController()
      void heedSilence(done.signal)
      try {
        await look()
        degraded.leave('l1')
        return true
      } catch (error) {
        silent(messageOf(error))
        return false
      } finally {
        done.abort()
      }
    },
  }
}
