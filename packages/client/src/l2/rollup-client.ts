/** Calls rollup_* methods, or optimism_* on nodes that lack them. */
import {
  CodecError,
  formatQuantity,
  type OutputAtBlock,
  type OutputBlockSelector,
  parseOutputAtBlockJson,
  parseSyncStatusJson,
  type RollupApi,
} from '@keelson/primitives'
import { RpcResponseError } from '../client-error.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { verified } from '../rpc/verified.ts'

export interface RollupClient extends RollupApi {
  /** Unparsed rollup.json. */
  rollupConfig(): Promise<unknown>
}

const TAG_OF_LABEL = { unsafe: 'latest', safe: 'safe', finalized: 'finalized' } as const
const METHOD_NOT_FOUND = -32601

export function createRollupClient(rpc: RpcClient): RollupClient {
  let prefix: 'rollup' | 'optimism' = 'rollup'
  const call = async (name: string, params: readonly unknown[]): Promise<unknown> => {
    try {
      return await rpc.call(`${prefix}_${name}`, params)
    } catch (error) {
      if (prefix !== 'rollup' || !(error instanceof RpcResponseError) || error.number !== METHOD_NOT_FOUND) throw error
      const answer = await rpc.call(`optimism_${name}`, params)
      prefix = 'optimism'
      return answer
    }
  }
  return {
    async syncStatus() {
      const answer = await call('syncStatus', [])
      return verified(rpc.host, () => parseSyncStatusJson(answer))
    },
    async outputAtBlock(at) {
      const answer = await call('outputAtBlock', [selector(at)])
      return verified(rpc.host, () => aboutBlock(parseOutputAtBlockJson(answer), at))
    },
    rollupConfig: () => call('rollupConfig', []),
  }
}

function aboutBlock(output: OutputAtBlock, at: OutputBlockSelector): OutputAtBlock {
  if (typeof at !== 'number' || output.block.number === at) return output
  throw new CodecError('codec/json', `the output of block ${at} was asked for, and that of block ${output.block.number} came`)
}

function selector(at: OutputBlockSelector): string {
  return typeof at === 'number' ? formatQuantity(at) : TAG_OF_LABEL[at]
}
