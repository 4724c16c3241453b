/**
 * Looks at L1's head, safe and finalized blocks and hands what is new to the driver. An L1 that goes back
 * or replaces blocks is noticed here, before derivation reads on.
 */
import type { L1Reader } from '@keelson/derivation'
import type { Clock, Hash, L1BlockRef, Logger } from '@keelson/primitives'
import type { DegradedStates } from '../driver/degraded-states.ts'
import type { DriverInput } from '../driver/driver-api.ts'
import { messageOf } from '../errors.ts'
import { createL1History } from './l1-history.ts'

export interface L1WatcherDependencies {
  readonly l1: L1Reader
  readonly submit: (input: DriverInput) => unknown
  readonly degraded: DegradedStates
  readonly clock: Clock
  readonly log: Logger
}

export interface L1Watcher {
  /** One look; never throws. False when L1 could not be asked. */
  step(): Promise<boolean>
}

const LABELS = [
  ['safe', 'l1-safe'],
  ['finalized', 'l1-finalized'],
] as const
/** Without an answer for so long, L1 counts as silent, whatever the request that hangs still hopes for. */
export const L1_SILENT_AFTER_MS = 10_000
/** An earlier head that is known may be the answer of a node that lags: it counts when it was given this often in a row. */
const LOOKS_UNTIL_LOWER = 3

export function createL1Watcher({ l1: source, submit, degraded, clock, log }: L1WatcherDependencies): L1Watcher {
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
  const labels = new Map<string, Hash>()
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
    await labelsMove()
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
  }

  const sayReplaced = (before: L1BlockRef, head: L1BlockRef, lastCommon: number) => {
    const fields = { before: before.hash, now: head.hash, lastCommonBlock: lastCommon }
    if (head.number < before.number)
      log.warn(`L1 went back from ${before.number} to ${head.number}: blocks after ${lastCommon} are replaced`, fields)
    else log.info(`L1 replaced its blocks after ${lastCommon}`, { ...fields, from: before.number, to: head.number })
  }

  /** They move with the head at the earliest, and go first, so that a head is never handled without them. */
  const labelsMove = async () => {
    for (const [label, kind] of LABELS) {
      const block = await l1.blockRef(label)
      if (block === null || block.hash === labels.get(kind)) continue
      labels.set(kind, block.hash)
      submit({ kind, block })
    }
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
