/**
 * System configuration updates apply before a block's batcher transactions are authenticated. protocol/derivation.md#l1-traversal
 */
import type { RollupConfig } from '@keelson/chainspec'
import { inclusionTime, type L1BlockRef, type SystemConfig } from '@keelson/primitives'
import { applySystemConfigLogs } from '../codec/l1/system-config-log.ts'
import { DerivationError } from '../errors.ts'
import type { DerivationObserver } from '../observer.ts'
import type { L1Reader } from '../ports.ts'

export interface L1Traversal {
  readonly origin: L1BlockRef
  readonly systemConfig: SystemConfig
  readonly unread: L1BlockRef | null
  markRead(): void
  /** False without a next L1 block. Throws DerivationError `derivation/l1-reorg` (reset) when its parent differs. */
  advance(): Promise<boolean>
  reset(origin: L1BlockRef, systemConfig: SystemConfig): void
}

export function createL1Traversal(config: RollupConfig, l1: L1Reader, observer: DerivationObserver): L1Traversal {
  let state: { origin: L1BlockRef; systemConfig: SystemConfig; unread: boolean } | null = null
  const current = () => {
    if (state === null) throw new DerivationError('derivation/internal', 'critical', 'the pipeline was stepped before its first reset')
    return state
  }
  return {
    get origin() {
      return current().origin
    },
    get systemConfig() {
      return current().systemConfig
    },
    get unread() {
      return current().unread ? current().origin : null
    },
    markRead() {
      current().unread = false
    },
    async advance() {
      const { origin, systemConfig } = current()
      const next = await l1.blockRef(origin.number + 1)
      if (next === null) return false
      if (next.parentHash !== origin.hash) {
        throw reorg(`L1 block ${next.number} builds on ${next.parentHash}, expected ${origin.hash}; L1 was reorganized, rewinding`, next)
      }
      const receipts = await l1.receipts(next.hash)
      if (receipts === null) throw reorg(`L1 no longer knows block ${next.number} (${next.hash}); rewinding`, next)
      const rules = config.forks.inclusionRules(inclusionTime(next))
      const update = applySystemConfigLogs(systemConfig, receipts, config.systemConfigContract, rules)
      for (const { reason, message } of update.skipped) {
        observer.dropped({ stage: 'l1-traversal', reason, l1Origin: next, details: { message } })
      }
      state = { origin: next, systemConfig: update.config, unread: true }
      return true
    },
    reset(origin, systemConfig) {
      state = { origin, systemConfig, unread: true }
    },
  }
}

function reorg(message: string, block: L1BlockRef): DerivationError {
  return new DerivationError('derivation/l1-reorg', 'reset', message, { number: block.number, hash: block.hash })
}
