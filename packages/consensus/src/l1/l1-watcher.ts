import type { L1Reader } from '@keelson/derivation'
import type { Clock, L1BlockRef, Logger } from '@keelson/primitives'
import type { DegradedStates } from '../degraded-states.ts'
import { messageOf } from '../errors.ts'
import type { ConsensusMetrics } from '../metrics.ts'
import { createL1History } from './l1-history.ts'
import { createL1Labels } from './l1-labels.ts'
import type { L1View } from './l1-view.ts'

export interface L1WatcherDependencies {
  readonly l1: L1Reader
  readonly view: Pick<L1View, 'head' | 'update'>
  readonly degraded: DegradedStates
  readonly metrics: Pick<ConsensusMetrics, 'l1LabelRefused'>
  readonly clock: Clock
  readonly log: Logger
  readonly allowFinalizedReorg: boolean
}

export interface L1Watcher {
  /** Never throws; returns false when L1 failed to answer. */
  step(): Promise<boolean>
}

const CHANGE_OF_LABEL = { safe: 'l1-safe', finalized: 'l1-finalized' } as const
/** Few, so that a rate-limited L1 still serves derivation. */
const READS_FOR_LABELS = 16
const L1_SILENT_AFTER_MS = 10_000
/** A given reason spares the stack trace of the default one. */
const POLL_OVER = 'the poll is over'
/** A lower head is believed only after this many polls, because it may come from a lagging node. */
const POLLS_UNTIL_LOWER = 3

export function createL1Watcher(deps: L1WatcherDependencies): L1Watcher {
  const { l1: source, view, degraded, metrics, clock, log } = deps
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
  let lowerPolls = 0

  const poll = async () => {
    const head = await l1.blockRef('latest')
    const before = view.head
    if (head === null || head.hash === before?.hash) {
      lowerPolls = 0
      return
    }
    const relation = await history.compare(before, head)
    if (relation === 'earlier' && ++lowerPolls < POLLS_UNTIL_LOWER) return
    lowerPolls = 0
    const proven = await updateLabels(head, 0)
    if (relation === 'replaced') {
      const lastCommon = await history.forgetReplaced(head.number)
      logReplaced(before ?? head, head, lastCommon)
      view.update({ kind: 'l1-reorg', lastCommon, head })
    } else if (relation === 'earlier' && before !== null && head.number < before.number) {
      log.warn(`L1 went back from ${before.number} to ${head.number}`, {
        why: 'it lost its newest blocks, or a lagging node answered behind the same URL',
        next: 'the node waits; it goes back too if other blocks replace them',
      })
    }
    history.add(head)
    view.update({ kind: 'l1-head', block: head })
    if (!proven) await updateLabels(head, READS_FOR_LABELS)
  }

  const logReplaced = (before: L1BlockRef, head: L1BlockRef, lastCommon: number) => {
    const fields = { before: before.hash, now: head.hash, lastCommonBlock: lastCommon }
    if (head.number < before.number)
      log.warn(`L1 went back from ${before.number} to ${head.number}: blocks after ${lastCommon} are replaced`, fields)
    else log.info(`L1 replaced its blocks after ${lastCommon}`, { ...fields, from: before.number, to: head.number })
  }

  /** Labels come before the head, so that the driver sees both together. */
  const updateLabels = async (head: L1BlockRef, maxReads: number): Promise<boolean> => {
    const { moved, refused, unproven } = await labels.look(head, maxReads)
    for (const { label, block } of moved) view.update({ kind: CHANGE_OF_LABEL[label], block })
    for (const { label, block, fault } of refused) {
      metrics.l1LabelRefused(label, fault)
      if (fault === 'went-back') continue
      degraded.enter(
        'l1-labels',
        `the ${label} block of L1 is rejected`,
        `${fault}: block ${block.number} (${block.hash}) under the head ${head.number} (${head.hash})`,
        'finality waits; check that the L1 node is synced and honest, and give several URLs in --l1.rpc',
      )
    }
    if (refused.every(({ fault }) => fault === 'went-back') && !unproven) degraded.leave('l1-labels')
    return !unproven
  }

  const enterSilent = (why: string) =>
    degraded.enter(
      'l1',
      'L1 does not answer',
      why,
      'check the L1 URL and that L1 runs; the node continues once it answers',
      unansweredSinceMs ?? clock.nowMs(),
    )

  /** Reports a silent L1 early: a request may take minutes to fail. */
  const watchForSilence = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const leftMs = (unansweredSinceMs ?? clock.nowMs()) + L1_SILENT_AFTER_MS - clock.nowMs()
      if (leftMs <= 0) return enterSilent(`a request has hung for more than ${L1_SILENT_AFTER_MS / 1000} s`)
      await clock.sleep(leftMs, signal).catch(() => undefined)
    }
  }

  return {
    async step() {
      const done = new AbortController()
      void watchForSilence(done.signal)
      try {
        await poll()
        degraded.leave('l1')
        return true
      } catch (error) {
        enterSilent(messageOf(error))
        return false
      } finally {
        done.abort(POLL_OVER)
      }
    },
  }
}
