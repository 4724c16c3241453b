/**
 * Keeps anvil at the network's time. Its clock starts at genesis time whenever it loads a dump, so it is
 * started without mining, set, and told to mine; and a reorg by command leaves its clock behind for good.
 */
import type { Clock } from '@keelson/primitives'
import type { JsonRpc } from './heads.ts'

export interface L1Clock {
  /** L1 has been started (again) and does not mine yet. */
  started(): void
  /** Sets what has to be set. Returns a line to show, null when all was well. Throws when L1 does not answer. */
  step(): Promise<string | null>
}

/** Block times that L1's newest block may lag before its clock is taken to stand behind. */
const MAX_LAG_BLOCKS = 3

export function createL1Clock(l1: JsonRpc, networkClock: Clock, blockTimeSec: number): L1Clock {
  let mining = false

  const headTimeSec = async () => Number(((await l1.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }).timestamp)
  const nowSec = () => Math.floor(networkClock.nowMs() / 1000)

  return {
    started() {
      mining = false
    },
    async step() {
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
