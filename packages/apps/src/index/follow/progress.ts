import type { Clock, Logger } from '@keelson/primitives'
import type { ChainBlock } from '../chain/ports.ts'

const EVERY_MS = 10_000

export interface Progress {
  add(blocks: readonly ChainBlock[], head: number): void
}

export function createProgress(clock: Clock, log: Logger): Progress {
  let fromMs = clock.monotonicMs()
  let blockCount = 0
  let transactionCount = 0
  return {
    add(blocks, head) {
      blockCount += blocks.length
      for (const { transactions } of blocks) transactionCount += transactions.length
      const ms = clock.monotonicMs() - fromMs
      const at = blocks.at(-1)?.number ?? head
      if (ms < EVERY_MS) return
      const perSec = (blockCount * 1000) / ms
      if (at < head) {
        log.info('indexing', {
          block: at,
          of: head,
          blocksPerSec: Math.round(perSec),
          transactionsPerSec: Math.round((transactionCount * 1000) / ms),
          left: durationText((head - at) / perSec),
        })
      }
      fromMs = clock.monotonicMs()
      blockCount = 0
      transactionCount = 0
    },
  }
}

export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
