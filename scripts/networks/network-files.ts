import { gzipSync } from 'node:zlib'
import { genesisHeader, loadGenesis, loadRollupConfig } from '@keelson/chainspec'
import { bytesToHex, encodeHeader, type Header, hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time, toAddress } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { DEPENDENCY_SET_FILE, type KeelsonFile } from '../../packages/devnet/src/network-files/network-files.ts'
import { ANNOUNCED_FORKS } from './announced-forks.ts'
import { BASE_CHAINS } from './base-chains.ts'
import { SUPERCHAIN_BOOTNODES } from './bootnodes.ts'
import { LEFT_REGISTRY } from './left-registry.ts'
import { MIGRATED_GENESIS } from './migrated-genesis.ts'
import type { RegistryChain } from './registry-chain.ts'
import { type RegistryCheckout, readRegistryGenesis } from './registry-checkout.ts'
import { rollupJson } from './rollup-json.ts'

export const REGISTRY_URL = 'https://github.com/ethereum-optimism/superchain-registry'

const SECOND_SOURCES: Readonly<Record<string, string>> = {
  'mainnet/base': 'https://docs.base.org/base-chain/specs/upgrades',
  'sepolia/base': 'https://docs.base.org/base-chain/specs/upgrades',
  'mainnet/op': 'https://github.com/ethereum-optimism/optimism rust/op-reth/crates/primitives/src/bedrock.rs',
}

export interface NetworkTexts {
  readonly rollup: Record<string, unknown>
  readonly addresses: Readonly<Record<string, string>>
  readonly keelson: KeelsonFile
}

export function networkTexts(registry: RegistryCheckout, chain: RegistryChain): NetworkTexts {
  const base = BASE_CHAINS[chain.id]
  const addresses = { ...chain.addresses, ...registry.addresses[String(chain.chainId)] }
  const url = (text: string) => (/^https?:/.test(text) ? text : null)
  const sources = [SECOND_SOURCES[chain.id], ANNOUNCED_FORKS[chain.id]?.source].filter((source) => source !== undefined)
  const also = sources.length === 0 ? undefined : sources.join(' and ')
  return {
    rollup: rollupJson(chain, { ...announced(chain), ...(base === undefined ? {} : { base: base.forks }) }),
    addresses,
    keelson: {
      l1Chain: chain.superchain,
      publicNetwork: {
        name: chain.name,
        superchain: chain.superchain,
        governedByOptimism: chain.governedByOptimism,
        publicRpc: url(chain.publicRpc),
        sequencerRpc: url(chain.sequencerRpc),
        explorer: url(chain.explorer),
        unsafeBlockSigner: addresses.UnsafeBlockSigner === undefined ? null : toAddress(addresses.UnsafeBlockSigner),
        bootnodes: base?.bootnodes ?? SUPERCHAIN_BOOTNODES,
        state: chain.id in MIGRATED_GENESIS ? 'snapshot' : 'genesis',
        leftRegistry: LEFT_REGISTRY[chain.id] ?? null,
        source: { repository: REGISTRY_URL, commit: registry.commit, chain: chain.id, ...(also === undefined ? {} : { also }) },
      },
    },
  }
}

function announced({ id, hardforks }: RegistryChain): Record<string, unknown> {
  return Object.fromEntries(Object.entries(ANNOUNCED_FORKS[id]?.forks ?? {}).filter(([key]) => !(key in hardforks)))
}

/** Throws when the genesis does not match the registry's hash. */
export function networkFiles(registry: RegistryCheckout, chain: RegistryChain): ReadonlyMap<string, Uint8Array> {
  const { rollup, addresses, keelson } = networkTexts(registry, chain)
  const migrated = MIGRATED_GENESIS[chain.id]
  const genesisJson = migrated === undefined ? JSON.stringify(readRegistryGenesis(registry, chain.id)) : null
  const header = migrated ?? firstHeader(chain, genesisJson as string)
  const hash = hashHeader(header)
  if (hash !== chain.genesis.l2.hash)
    throw new Error(`${chain.id}: its genesis hashes to ${hash}, expected ${chain.genesis.l2.hash} from the registry`)
  const text = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
  return new Map([
    ['rollup.json', text(rollup)],
    ['addresses.json', text(addresses)],
    ...dependencySetFile(chain).map((set) => [DEPENDENCY_SET_FILE, text(set)] as const),
    ['keelson.json', text({ ...keelson, genesisHeader: bytesToHex(encodeHeader(header)) })],
    ...(genesisJson === null ? [] : [['genesis.json.gz', new Uint8Array(gzipSync(genesisJson, { level: 9 }))] as const]),
  ])
}

/** op-node's format, which maps each chain id to an empty object. */
function dependencySetFile({ id }: RegistryChain): readonly object[] {
  const set = ANNOUNCED_FORKS[id]?.dependencySet
  return set === undefined ? [] : [{ dependencies: Object.fromEntries(set.map((chainId) => [chainId, {}])) }]
}

function firstHeader(chain: RegistryChain, genesisJson: string): Header {
  const { forks } = loadRollupConfig(rollupJson(chain))
  const genesis = loadGenesis(JSON.parse(genesisJson))
  const state = computeGenesisState(genesis.accounts)
  return genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), forks.blockRules(l2Time(genesis.timestampSec)))
}
