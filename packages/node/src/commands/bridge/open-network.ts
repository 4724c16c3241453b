import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BridgeContracts, BridgeSenders, ChainReader } from '@keelson/apps/bridge'
import { createChainReader } from '@keelson/apps/bridge'
import type { RollupConfig } from '@keelson/chainspec'
import { createHttpRpcClient } from '@keelson/client'
import type { DevnetFile } from '@keelson/devnet'
import { readCurrencySymbol, readNetworkJson, readRollupConfig } from '@keelson/devnet/network-files'
import { type Address, type Clock, formatQuantity, isHex, type Logger, parseQuantity, toAddress } from '@keelson/primitives'
import { createLogger, createSystemClock, createSystemRandom, type OptionValues } from '@keelson/runtime'
import { readReadyDevnet } from '../../doctor/running-devnet.ts'
import { AssemblyError } from '../../errors.ts'
import { tellingOfSilence } from './slow-node.ts'
import type { chainOptions } from './transfer-options.ts'

export interface BridgeNetwork {
  readonly l1: ChainReader
  readonly l2: ChainReader
  readonly config: RollupConfig
  readonly contracts: BridgeContracts
  readonly symbol: string
  readonly clock: Clock
  readonly log: Logger
}

export interface OpenOptions {
  /** If false, L2 may be unreachable. */
  readonly needsL2?: boolean
}

const OTHERWISE = 'name its folder with --devnet, or give --network, --l1.rpc and --l2.rpc'

/** Throws AssemblyError `node/usage`, `node/starting`. */
export async function openNetwork(values: OptionValues<typeof chainOptions>, { needsL2 = true }: OpenOptions = {}): Promise<BridgeNetwork> {
  const clock = createSystemClock()
  const log = createLogger({ clock, name: 'bridge', level: 'error', format: 'auto' })
  const facts = values.network === null ? readReadyDevnet(values.devnet, OTHERWISE) : null
  const folder = values.network ?? (facts as DevnetFile).networkDir
  // Allowed because the genesis check tells chains with equal IDs apart.
  const config = readRollupConfig(folder, { allowSameChainId: true })
  const contracts = readContracts(folder, config)
  const reader = (url: string | null | undefined, name: string, flag: string) => {
    if (url == null) throw new AssemblyError('node/usage', `give ${flag}: ${folder} does not say where a node is`)
    const rpc = createHttpRpcClient({ url, retry: { attempts: 3 } }, { clock, random: createSystemRandom(), log })
    return createChainReader(tellingOfSilence(rpc, name, clock, (text) => console.error(`keelson: ${text}`)))
  }
  const l1 = reader(values.l1Rpc ?? facts?.l1.rpcUrl, 'L1', '--l1.rpc')
  const l2 = reader(values.l2Rpc ?? facts?.l2.rpcUrl, 'L2', '--l2.rpc')
  await assertChain(l1, 'L1', '--l1.rpc', config.l1ChainId, config.genesis.l1)
  if (needsL2) await assertChain(l2, 'L2', '--l2.rpc', config.l2ChainId, config.genesis.l2)
  return { l1, l2, config, contracts, symbol: readCurrencySymbol(folder), clock, log }
}

/** The senders on L1 whose deposits are transfers; null when the network does not name them. */
export function findBridgeSenders(folder: string): BridgeSenders {
  const find = existsSync(join(folder, 'addresses.json')) ? contractFinder(folder) : () => null
  return { messenger: find('L1CrossDomainMessenger'), standardBridge: find('L1StandardBridge') }
}

/** Accepts the contract names of op-deployer and of public registries. */
function contractFinder(folder: string): (name: string) => Address | null {
  const addresses = readNetworkJson(folder, 'addresses.json') as Readonly<Record<string, unknown>>
  return (name) => {
    const found = addresses[name] ?? addresses[`${name}Proxy`]
    return isHex(found, 20) ? toAddress(found) : null
  }
}

export function readContracts(folder: string, config: RollupConfig): BridgeContracts {
  const find = contractFinder(folder)
  const get = (name: string): Address => {
    const found = find(name)
    if (found !== null) return found
    throw new AssemblyError('node/usage', `addresses.json in ${folder} has no ${name}: expected its address on L1`)
  }
  const portal = find('OptimismPortal') ?? config.depositContract
  if (portal !== config.depositContract) {
    throw new AssemblyError(
      'node/usage',
      `addresses.json in ${folder} has OptimismPortal at ${portal}, rollup.json has deposits at ${config.depositContract}: the files are of different networks`,
    )
  }
  return {
    portal,
    standardBridge: get('L1StandardBridge'),
    messenger: get('L1CrossDomainMessenger'),
    outputOracle: find('L2OutputOracle'),
  }
}

async function assertChain(
  { rpc }: ChainReader,
  name: 'L1' | 'L2',
  flag: string,
  chainId: bigint,
  genesis: { readonly number: number; readonly hash: string },
): Promise<void> {
  const found = parseQuantity(await rpc.call('eth_chainId', []), 'eth_chainId')
  if (found !== chainId) {
    throw new AssemblyError(
      'node/usage',
      `${flag} ${rpc.host} is a node of chain ${found}, ${name} of this network is chain ${chainId}; nothing was sent`,
    )
  }
  const block = (await rpc.call('eth_getBlockByNumber', [formatQuantity(genesis.number), false])) as { hash?: unknown } | null
  if (block === null || block.hash === genesis.hash) return
  throw new AssemblyError(
    'node/usage',
    `${flag} ${rpc.host} has the right chain id ${chainId} but another chain: its block ${genesis.number} is ${block.hash}, expected ${genesis.hash}; nothing was sent`,
  )
}
