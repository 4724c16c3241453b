import { forksAtGenesis, loadGenesis } from '@keelson/chainspec'
import { LIQUIDITY_CONTRACTS, PREDEPLOYS } from '@keelson/contracts'
import { type ChainConfig, type Chains, createChains, devnetChains } from '@keelson/platform'
import type { Address, Clock } from '@keelson/primitives'
import { createSeededRandom, createSilentLogger } from '@keelson/runtime'
import { createWalletClient, defineChain, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEV_ACCOUNTS, DEV_ROLES, type DevAccount } from '../../packages/devnet/src/genesis/devnet/dev-accounts.ts'
import { loadPrebuiltDevnet } from '../../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { serveMethods } from './execution-rpc-world.ts'
import { createExecutionWorld, type ExecutionWorld } from './execution-world.ts'

export const PLATFORM_GENESIS_SEC = 1_800_000_000
export const PLATFORM_CHAIN_ID = 84_532
const ROUTER = parseAbi(['function swapExactETHForTokens(uint256, address[] path, address to, uint256) payable returns (uint256[])'])
const FEED = parseAbi(['function post(int256)', 'function fallSilent()'])
const NATIVE = { name: 'native', symbol: 'KEEL', decimals: 18 }

export interface PlatformWorld {
  readonly world: ExecutionWorld
  readonly url: string
  readonly addresses: ReturnType<typeof loadPrebuiltDevnet>['addresses']
  readonly config: ChainConfig
  readonly chains: Chains
  readonly clock: Clock
  readonly trader: Address
  open(configs: readonly ChainConfig[]): Chains
  buyDollars(valueWei: bigint): Promise<Hex>
  stateFeed(feed: Address, answer: bigint | null): Promise<void>
  stop(): Promise<void>
}

export async function createPlatformWorld(): Promise<PlatformWorld> {
  const devnet = loadPrebuiltDevnet(PLATFORM_GENESIS_SEC)
  const { accounts: alloc } = loadGenesis(JSON.parse(devnet.l2Json()))
  const forks = forksAtGenesis(devnet.parameters.fork)
  const world = await createExecutionWorld({ genesisTimestampSec: PLATFORM_GENESIS_SEC, chainId: BigInt(PLATFORM_CHAIN_ID), forks, alloc })
  const server = await serveMethods(world.node.methods)
  const url = server.httpUrl
  const clock: Clock = { ...world.clock, sleep: async () => undefined }
  const open = (configs: readonly ChainConfig[]) =>
    createChains(configs, { clock, random: createSeededRandom(1), log: createSilentLogger() })
  const facts = {
    l1: { rpcUrl: 'http://127.0.0.1:1', chainId: 900 },
    l2: { rpcUrl: url, chainId: PLATFORM_CHAIN_ID },
    contracts: devnet.addresses,
  }
  const config = devnetChains(facts, { symbol: NATIVE.symbol })[0] as ChainConfig
  const chains = open([config])
  const chain = defineChain({ id: PLATFORM_CHAIN_ID, name: 'devnet', nativeCurrency: NATIVE, rpcUrls: { default: { http: [url] } } })
  const send = async (
    key: Hex,
    transaction: { readonly to: Address; readonly data: Hex; readonly value?: bigint; readonly gas: bigint },
  ) => {
    const hash = await createWalletClient({ account: privateKeyToAccount(key), chain, transport: http(url) }).sendTransaction(transaction)
    await world.mine()
    return hash
  }
  const { address, privateKey } = DEV_ACCOUNTS[3] as DevAccount
  return {
    world,
    url,
    addresses: devnet.addresses,
    config,
    chains,
    clock,
    trader: address,
    open,
    buyDollars(value) {
      const path = [PREDEPLOYS.WETH, LIQUIDITY_CONTRACTS.TestDollar]
      const args = [0n, path, address, BigInt(PLATFORM_GENESIS_SEC + 1_000_000)] as const
      const data = encodeFunctionData({ abi: ROUTER, functionName: 'swapExactETHForTokens', args })
      return send(privateKey, { to: LIQUIDITY_CONTRACTS.UniswapV2Router02, data, value, gas: 500_000n })
    },
    async stateFeed(feed, answer) {
      const data =
        answer === null
          ? encodeFunctionData({ abi: FEED, functionName: 'fallSilent' })
          : encodeFunctionData({ abi: FEED, functionName: 'post', args: [answer] })
      await send(DEV_ROLES.admin.privateKey, { to: feed, data, gas: 300_000n })
    },
    async stop() {
      chains.close()
      await server.stop()
      await world.stop()
    },
  }
}
