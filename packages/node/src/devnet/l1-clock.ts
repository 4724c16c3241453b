/** Bringing anvil to the network's time: its clock is the machine's plus an offset it forgets when it stops. */
import type { Clock } from '@keelson/primitives'
import type { JsonRpc } from './heads.ts'

/** After every start of anvil, and after anything that moved its clock (a reorg by command does). */
export async function alignL1Clock(l1: JsonRpc, networkClock: Clock): Promise<void> {
  const head = (await l1.request('eth_getBlockByNumber', ['latest', false])) as { timestamp: string }
  const nowSec = Math.floor(networkClock.nowMs() / 1000)
  // a block is never older than its parent
  await l1.request('evm_setTime', [Math.max(nowSec, Number(head.timestamp) + 1)])
}
