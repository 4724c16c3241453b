import { createL1Schedule, type L1ChainConfig } from '@keelson/chainspec'
import { type RpcClient, verified } from '@keelson/client'
import { formatQuantity, parseHash, parseJsonObject, parseQuantity, parseQuantityNumber } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'
import type { L1Start } from './network-inputs.ts'

export async function readChainId(rpc: RpcClient): Promise<bigint> {
  const answer = await rpc.call('eth_chainId', [])
  return verified(rpc.host, () => parseQuantity(answer, 'eth_chainId'))
}

/** Throws AssemblyError `node/usage` for a missing block, or one that contradicts L1's configuration. */
export async function readL1Start(rpc: RpcClient, at: string, chain: L1ChainConfig): Promise<L1Start> {
  const answer = await rpc.call('eth_getBlockByNumber', [/^\d+$/.test(at) ? formatQuantity(Number(at)) : at, false])
  if (answer === null) throw new AssemblyError('node/usage', `--l1.start-block ${at}: ${rpc.host} does not have this block`)
  const { start, has } = verified(rpc.host, () => {
    const block = parseJsonObject(answer, 'block')
    return {
      start: {
        number: parseQuantityNumber(block.number, 'number'),
        hash: parseHash(block.hash, 'hash'),
        timestampSec: parseQuantityNumber(block.timestamp, 'timestamp'),
      },
      has: (field: string) => block[field] !== undefined && block[field] !== null,
    }
  })
  const rules = createL1Schedule(chain).blockRules(start.number, start.timestampSec)
  for (const [field, inRules] of [
    ['excessBlobGas', rules.blobFields],
    ['requestsHash', rules.requests !== 'absent'],
    ['blockAccessListHash', rules.blockAccessList],
  ] as const) {
    if (has(field) === inRules) continue
    const [verb, wants] = inRules ? ['has no', 'has one'] : ['has', 'has none']
    throw new AssemblyError(
      'node/usage',
      `block ${start.number} of ${rpc.host} ${verb} ${field}, while a block of L1 fork ${rules.ethFork} ${wants}: give the forks of this L1 ` +
        'with --l1.chain-config or --l1.fork',
    )
  }
  return start
}
