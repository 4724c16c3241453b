import { type ChainReader, createChainReader } from '@keelson/apps/bridge'
import { createHttpRpcClient, type RpcClient } from '@keelson/client'
import { type DevnetFile, findDevnetOf } from '@keelson/devnet'
import { readCurrencySymbol } from '@keelson/devnet/network-files'
import type { Address, Clock, Logger } from '@keelson/primitives'
import { asCalled, createLogger, createSystemClock, createSystemRandom, type OptionValues } from '@keelson/runtime'
import { createStakingChain, type StakingChain } from '@keelson/validator'
import { readReadyDevnet } from '../../../doctor/running-devnet.ts'
import { AssemblyError } from '../../../errors.ts'
import { readBlockTimeSec } from './block-time.ts'
import type { chainOptions } from './staking-options.ts'

export interface OpenStaking {
  readonly rpc: RpcClient
  readonly reader: ChainReader
  readonly chain: StakingChain
  readonly chainId: bigint
  readonly blockTimeSec: number
  readonly symbol: string
  readonly rollupUrl: string | null
  readonly clock: Clock
  readonly log: Logger
  client(url: string): RpcClient
}

const OTHERWISE = 'name its folder with --devnet, or give the node with --l2.rpc'

/** Throws AssemblyError `node/usage`, `node/starting`, ConsensusError `consensus/no-staking-contract`. */
export async function openStaking(values: OptionValues<typeof chainOptions>): Promise<OpenStaking> {
  const facts = values.l2Rpc === null ? readReadyDevnet(values.devnet, OTHERWISE) : findDevnetOf(values.devnet, values.l2Rpc)
  const clock = createSystemClock({ offsetMs: values.clockOffsetMs ?? facts?.clockOffsetMs ?? 0 })
  const log = createLogger({ clock, name: 'validator', level: 'error', format: 'auto' })
  const client = (url: string) => createHttpRpcClient({ url, retry: { attempts: 3 } }, { clock, random: createSystemRandom(), log })
  const rpc = client(values.l2Rpc ?? (facts as DevnetFile).l2.rpcUrl)
  const chain = createStakingChain(rpc, values.staking)
  const chainId = await chain.chainId()
  await chain.terms()
  return {
    rpc,
    reader: createChainReader(rpc),
    chain,
    chainId,
    blockTimeSec: await readBlockTimeSec(rpc),
    symbol: facts === null ? 'tokens' : readCurrencySymbol(facts.networkDir),
    rollupUrl: facts?.l2.rollupRpcUrl ?? null,
    clock,
    log,
    client,
  }
}

export function inTime(block: number, head: number, blockTimeSec: number): string {
  const left = (block - head) * blockTimeSec
  if (left <= 0) return 'now'
  if (left < 120) return `in about ${left} s`
  return left < 7_200 ? `in about ${Math.round(left / 60)} min` : `in about ${(left / 3_600).toFixed(1)} h`
}

/** Examples: "from block 810 on, in about 40 s", "since block 810". */
export function fromBlockOn(block: number, head: number, blockTimeSec: number): string {
  return block <= head ? `since block ${block}` : `from block ${block} on, ${inTime(block, head, blockTimeSec)}`
}

export function onlyKey(keys: readonly Address[], folder: string): Address {
  const [key] = keys
  if (key !== undefined && keys.length === 1) return key
  throw new AssemblyError(
    'node/usage',
    keys.length === 0
      ? `there is no key in ${folder}: make one with ${asCalled('validator keys new')}`
      : `${folder} holds ${keys.length} keys (${keys.join(', ')}): say which with --key`,
  )
}
