import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { PREDEPLOYS, PREINSTALLS } from '@keelson/contracts'
import { readCurrencySymbol, readNetworkJson } from '@keelson/devnet/network-files'
import { isHex, toAddress } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { BRIDGE_COMMANDS, type CaptchaDocument, type ConfigDocument, type ServiceName } from '@keelson/web/server'
import { networkOf } from '../../networks/network-of.ts'

export interface WebFacts {
  readonly name: string
  readonly version: string
  readonly publicRpc: string | null
  readonly l1Explorer: string | null
  readonly services: Readonly<Record<ServiceName, string | null>>
  readonly captcha: CaptchaDocument | null
  readonly network: string
}

/** Trading contracts and our own are on L2; everything else in addresses.json is on L1. */
const ON_L2 = /^(Agents|Tasks|Staking|Test|PriceFeed|Uniswap|Pair)/

export function webConfig(
  { name, version, publicRpc, l1Explorer, services, captcha, network }: WebFacts,
  rollup: RollupConfig,
): ConfigDocument {
  const named = Object.entries(readAddresses(network)).flatMap(([name, value]) =>
    isHex(value, 20) ? [[name.replace(/Proxy$/, ''), toAddress(value)] as const] : [],
  )
  const [onL2, onL1] = [true, false].map((wanted) => Object.fromEntries(named.filter(([name]) => ON_L2.test(name) === wanted)))
  return {
    name,
    version,
    l2: {
      chainId: Number(rollup.l2ChainId),
      blockTimeSec: rollup.blockTimeSec,
      currency: readCurrencySymbol(network),
      genesisTimeSec: Number(rollup.genesis.l2TimestampSec),
      publicRpcUrl: publicRpc,
    },
    commands: bridgeCommands(),
    l1: { chainId: Number(rollup.l1ChainId), batchInbox: rollup.batchInbox, explorerUrl: l1Explorer },
    contracts: { l1: { ...onL1 }, l2: { ...PREDEPLOYS, ...PREINSTALLS, ...onL2 } },
    services: {
      index: services.index !== null,
      faucet: services.faucet !== null,
      bridge: services.bridge !== null,
      platform: services.platform !== null,
    },
    captcha,
  }
}

/** Visitors of another network than a development one have to name it and its nodes. */
function bridgeCommands(): ConfigDocument['commands'] {
  const network = networkOf({ name: 'web' }, {}) ?? { network: 'NETWORK' }
  return Object.fromEntries(BRIDGE_COMMANDS.map((name) => [name, asCalled(`bridge ${name}`, network)])) as ConfigDocument['commands']
}

function readAddresses(network: string): Readonly<Record<string, unknown>> {
  if (!existsSync(join(network, 'addresses.json'))) return {}
  return readNetworkJson(network, 'addresses.json') as Readonly<Record<string, unknown>>
}
