/**
 * Keeps anvil at the network's time. Its clock starts at genesis time whenever it loads a dump, so it is
 * started without mining, set, and told to mine; and a reorg by command leaves its clock behind for good.
 */
import type { Clock } from '@keelson/primitives'
import type { JsonRpc } from '../screen/heads.ts'

export interface L1Clock {
  /** L1 has been started (again) and does not mine yet. */
  started(): void
  /** Sets what has to be set. Returns a line to show, null when all was well. Throws when L1 does not answer. */
  step(): Promise<string | null>
}

export interface L1Pace {
  readonly blockTimeSec: number
  /**
   * Most blocks that L1 makes up for after a pause. They count towards the sequencing window, in which batches of blocks
   * from before the pause must still arrive, so this must be a small part of it.
   */
  readonly maxCatchUpBlocks: number
}

/** L1 uses at most this part of the sequencing window for the blocks that it makes up for after a pause. */
const CATCH_UP_PART_OF_WINDOW = 16

/** Pace of an L1 that a rollup with this sequencing window (in L1 blocks) settles on. */
export function l1PaceOf(blockTimeSec: number, sequencingWindowL1Blocks: number): L1Pace {
  return { blockTimeSec, maxCatchUpBlocks: Math.floor(sequencingWindowL1Blocks / CATCH_UP_PART_OF_WINDOW) }
}

/** Block times that L1's newest block may lag before its clock is taken to stand behind. */
const MAX_LAG_BLOCKS = 3

/**
 * Times of the blocks that L1 lacks after a pause, all later than its head and earlier than now by a block time at least. At
 * the usual distance, or further apart where the pause is longer than `maxCatchUpBlocks` of them.
 */
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

  const headTimeSec = async () => Number(((await l1.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }).timestamp)
  const nowSec = () => Math.floor(networkClock.nowMs() / 1000)
  const missing = async () => catchUpTimes(await headTimeSec(), nowSec(), pace)

  return {
    started() {
      mining = false
    },
    async step() {
      // at the first start only: an L1 that was killed has lost seconds, and its blocks come again
      if (!caughtUp) {
        // mining takes its time, in which a few more blocks become due
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
        // never backwards: anvil would make blocks older than their parents
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
