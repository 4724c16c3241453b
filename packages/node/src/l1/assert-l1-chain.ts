import type { RollupConfig } from '@keelson/chainspec'
import type { RpcClient } from '@keelson/client'
import { messageOf } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'

/** Throws AssemblyError `node/usage` for another chain, `node/l1-unreachable`. */
export async function assertL1Chain(l1: RpcClient, config: RollupConfig): Promise<void> {
  const chainId = await askChainId(l1)
  if (chainId !== config.l1ChainId) {
    throw new AssemblyError(
      'node/usage',
      `the L1 at ${l1.host} is chain ${chainId}, rollup.json expects ${config.l1ChainId}: give --l1.rpc of the right chain`,
      {
        have: chainId,
        want: config.l1ChainId,
      },
    )
  }
}

async function askChainId(l1: RpcClient): Promise<bigint> {
  try {
    return BigInt((await l1.call('eth_chainId', [])) as string)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AssemblyError('node/l1-unreachable', `no L1: ${reason}; start it, or give --l1.rpc of one that answers`, {}, { cause })
  }
}
