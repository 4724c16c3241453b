import type { Clock, Logger } from '@keelson/primitives'

const EVERY_MS = 10_000

export interface Step {
  readonly blocks: number
  readonly weight: number
  readonly at: number
  readonly head: number
}

export interface Progress {
  add(step: Step): void
}

export function createProgress(clock: Clock, log: Logger): Progress {
  let fromMs = clock.monotonicMs()
  let blockCount = 0
  let weight = 0
  return {
    add({ blocks, weight: added, at, head }) {
      blockCount += blocks
      weight += added
      const ms = clock.monotonicMs() - fromMs
      if (ms < EVERY_MS) return
      const perSec = (blockCount * 1000) / ms
      if (at < head) {
        const transactionsPerSec = Math.round((weight * 1000) / ms)
        log.info('indexing', {
          block: at,
          of: head,
          blocksPerSec: Math.round(perSec),
          transactionsPerSec,
          left: durationText((head - at) / perSec),
        })
      }
      fromMs = clock.monotonicMs()
      blockCount = 0
      weight = 0
    },
  }
}

export function durationText(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
