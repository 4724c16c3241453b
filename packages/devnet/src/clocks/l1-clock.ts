/** Sets anvil's time, which restarts at the genesis time with each loaded dump and falls behind after `anvil_reorg`. */
import type { Clock } from '@keelson/primitives'
import type { JsonRpc } from '../screen/heads.ts'

export interface L1Clock {
  started(): void
  /** Makes L1 mine no blocks until `resume`. */
  hold(): Promise<void>
  resume(): void
  /** Returns a line to show. Throws if L1 does not answer. */
  step(): Promise<string | null>
}

export interface L1Pace {
  readonly blockTimeSec: number
  /** Bounded, because these blocks use up the sequencing window of batches from before the pause. */
  readonly maxCatchUpBlocks: number
}

const CATCH_UP_PART_OF_WINDOW = 16

export function l1PaceOf(blockTimeSec: number, sequencingWindowL1Blocks: number): L1Pace {
  return { blockTimeSec, maxCatchUpBlocks: Math.floor(sequencingWindowL1Blocks / CATCH_UP_PART_OF_WINDOW) }
}

const MAX_LAG_BLOCKS = 3

/** Returns timestamps for the blocks that L1 lacks after a pause. */
export function catchUpTimes(headSec: number, nowSec: number, { blockTimeSec, maxCatchUpBlocks }: L1Pace): readonly number[] {
  const gapSec = nowSec - headSec
  if (gapSec <= MAX_LAG_BLOCKS * blockTimeSec) return []
  const distanceSec = Math.max(blockTimeSec, Math.ceil(gapSec / maxCatchUpBlocks))
  const times: number[] = []
  for (let time = headSec + distanceSec; time <= nowSec - blockTimeSec; time += distanceSec) times.push(time)
  return times
}

export function createL1Clock(l1: JsonRpc, networkClock: Clock, pace: L1Pace): L1Clock {
  const { blockTimeSec } = pace
  let mining = false
  let caughtUp = false
  let isHeld = false

  const headTimeSec = async () => Number(((await l1.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }).timestamp)
  const nowSec = () => Math.floor(networkClock.nowMs() / 1000)
  const missing = async () => catchUpTimes(await headTimeSec(), nowSec(), pace)

  return {
    started() {
      mining = false
    },
    async hold() {
      isHeld = true
      await l1.request('evm_setIntervalMining', [0])
    },
    resume() {
      isHeld = false
      mining = false
    },
    async step() {
      if (isHeld) return null
      // A crashed L1 lost a few seconds, and mines those blocks again.
      if (!caughtUp) {
        for (let times = await missing(); times.length > 0; times = await missing()) {
          for (const time of times) {
            await l1.request('evm_setNextBlockTimestamp', [time])
            await l1.request('evm_mine', [])
          }
        }
        caughtUp = true
      }
      const head = await headTimeSec()
      const lagSec = nowSec() - head
      if (!mining) {
        // An earlier time would make a block older than its parent.
        await l1.request('evm_setTime', [Math.max(nowSec(), head + 1)])
        await l1.request('evm_setIntervalMining', [blockTimeSec])
        mining = true
        return null
      }
      if (lagSec <= MAX_LAG_BLOCKS * blockTimeSec) return null
      await l1.request('evm_setTime', [nowSec()])
      return `l1: its newest block was ${lagSec} s old, so its clock was set to the network's time`
    },
  }
}
