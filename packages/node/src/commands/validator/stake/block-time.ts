import type { RpcClient } from '@keelson/client'
import { parseHash, parseJsonObject, parseQuantityNumber } from '@keelson/primitives'

/** Assumed for a chain that has only its genesis block. */
const UNKNOWN_BLOCK_TIME_SEC = 2

/** Seconds between the newest block and its parent, which on a rollup are the same for all blocks. */
export async function readBlockTimeSec(rpc: RpcClient): Promise<number> {
  const head = parseJsonObject(await rpc.call('eth_getBlockByNumber', ['latest', false]), 'latest block')
  if (parseQuantityNumber(head.number, 'number') === 0) return UNKNOWN_BLOCK_TIME_SEC
  const parentHash = parseHash(head.parentHash, 'parentHash')
  const parent = parseJsonObject(await rpc.call('eth_getBlockByHash', [parentHash, false]), `block ${parentHash}`)
  return parseQuantityNumber(head.timestamp, 'timestamp') - parseQuantityNumber(parent.timestamp, 'timestamp')
}
