/**
 * Format of `superchain/configs/<superchain>/<chain>.toml`:
 * https://github.com/ethereum-optimism/superchain-registry/blob/main/ops/internal/config/chain.go
 */
import { isHex } from '@keelson/primitives'
import { parse } from 'smol-toml'

export interface RegistryChain {
  readonly id: string
  readonly superchain: string
  readonly name: string
  readonly chainId: number
  readonly l1ChainId: number
  readonly publicRpc: string
  readonly sequencerRpc: string
  readonly explorer: string
  readonly governedByOptimism: boolean
  /** From this time on, the chain inherits the superchain's forks; null for never. */
  readonly superchainTimeSec: number | null
  readonly dataAvailability: string
  /** ERC-20 token on L1 for gas; null for ether. */
  readonly gasPayingToken: string | null
  readonly batchInbox: string
  readonly blockTimeSec: number
  readonly sequencingWindowL1Blocks: number
  readonly maxSequencerDriftSec: number
  readonly hardforks: Readonly<Record<string, number | boolean>>
  readonly eip1559: { readonly elasticity: number; readonly denominator: number; readonly denominatorCanyon: number }
  readonly genesis: {
    readonly l2TimeSec: number
    readonly l1: { readonly hash: string; readonly number: number }
    readonly l2: { readonly hash: string; readonly number: number }
    readonly systemConfig: {
      readonly batcherAddress: string
      readonly overhead: string
      readonly scalar: string
      readonly gasLimit: number
    }
  }
  readonly addresses: Readonly<Record<string, string>>
  readonly protocolVersions: string | null
  readonly unknownKeys: readonly string[]
}

type Table = Readonly<Record<string, unknown>>

/** [hardforks], [addresses], [roles] and [alt_da] may have any keys, which are checked elsewhere. */
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...['name', 'public_rpc', 'sequencer_rpc', 'explorer', 'superchain_level', 'governed_by_optimism', 'superchain_time'],
  ...['data_availability_type', 'chain_id', 'l1_chain_id', 'batch_inbox_addr', 'block_time', 'seq_window_size', 'max_sequencer_drift'],
  ...['gas_paying_token', 'protocol_versions_addr', 'deployment_l1_contracts_version', 'hardforks', 'addresses', 'roles', 'alt_da'],
  ...['optimism.eip1559_elasticity', 'optimism.eip1559_denominator', 'optimism.eip1559_denominator_canyon'],
  ...['genesis.l2_time', 'genesis.l1.hash', 'genesis.l1.number', 'genesis.l2.hash', 'genesis.l2.number'],
  ...['batcherAddress', 'overhead', 'scalar', 'gasLimit'].map((key) => `genesis.system_config.${key}`),
])
const NESTED: ReadonlySet<string> = new Set(['optimism', 'genesis', 'genesis.l1', 'genesis.l2', 'genesis.system_config'])

export class RegistryError extends Error {}

export function readRegistryChain(id: string, toml: string, l1ChainId: number): RegistryChain {
  const root = parseToml(id, toml)
  const reader = (table: unknown, path: string) => tableReader(id, table, path)
  const top = reader(root, '')
  const genesis = reader(root.genesis, 'genesis.')
  const l1 = reader((root.genesis as Table).l1, 'genesis.l1.')
  const l2 = reader((root.genesis as Table).l2, 'genesis.l2.')
  const system = reader((root.genesis as Table).system_config, 'genesis.system_config.')
  const fees = reader(root.optimism, 'optimism.')
  return {
    id,
    superchain: id.split('/')[0] as string,
    name: top.text('name'),
    chainId: top.number('chain_id'),
    l1ChainId,
    publicRpc: top.text('public_rpc', ''),
    sequencerRpc: top.text('sequencer_rpc', ''),
    explorer: top.text('explorer', ''),
    governedByOptimism: root.governed_by_optimism === true,
    superchainTimeSec: root.superchain_time === undefined ? null : top.number('superchain_time'),
    dataAvailability: top.text('data_availability_type'),
    gasPayingToken: root.gas_paying_token === undefined ? null : top.text('gas_paying_token'),
    batchInbox: top.hex('batch_inbox_addr', 20),
    blockTimeSec: top.number('block_time'),
    sequencingWindowL1Blocks: top.number('seq_window_size'),
    maxSequencerDriftSec: top.number('max_sequencer_drift'),
    hardforks: readHardforks(id, root.hardforks),
    eip1559: {
      elasticity: fees.number('eip1559_elasticity'),
      denominator: fees.number('eip1559_denominator'),
      denominatorCanyon: fees.number('eip1559_denominator_canyon'),
    },
    genesis: {
      l2TimeSec: genesis.number('l2_time'),
      l1: { hash: l1.hex('hash', 32), number: l1.number('number') },
      l2: { hash: l2.hex('hash', 32), number: l2.number('number') },
      systemConfig: {
        batcherAddress: system.hex('batcherAddress', 20),
        overhead: system.hex('overhead', 32),
        scalar: system.hex('scalar', 32),
        gasLimit: system.number('gasLimit'),
      },
    },
    addresses: { ...readAddresses(id, root.addresses), ...readAddresses(id, root.roles) },
    protocolVersions: root.protocol_versions_addr === undefined ? null : top.hex('protocol_versions_addr', 20),
    unknownKeys: unknownKeys(root, ''),
  }
}

export function parseToml(id: string, toml: string): Table {
  try {
    return parse(toml) as Table
  } catch (cause) {
    throw new RegistryError(`${id}: ${(cause as Error).message}`, { cause })
  }
}

export function readHardforks(id: string, table: unknown): Record<string, number | boolean> {
  const entries = Object.entries((table ?? {}) as Table)
  for (const [key, value] of entries) {
    if (Number.isSafeInteger(value) || typeof value === 'boolean') continue
    throw new RegistryError(`${id}: hardforks.${key}: expected a time in Unix seconds or a flag, got ${JSON.stringify(value)}`)
  }
  return Object.fromEntries(entries) as Record<string, number | boolean>
}

function readAddresses(id: string, table: unknown): Record<string, string> {
  const found = Object.entries((table ?? {}) as Table)
  for (const [key, value] of found) {
    if (!isHex(value, 20)) throw new RegistryError(`${id}: ${key}: expected an address, got ${JSON.stringify(value)}`)
  }
  return Object.fromEntries(found) as Record<string, string>
}

function unknownKeys(table: Table, path: string): string[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const name = `${path}${key}`
    if (NESTED.has(name) && typeof value === 'object' && value !== null) return unknownKeys(value as Table, `${name}.`)
    return KNOWN_KEYS.has(name) ? [] : [name]
  })
}

function tableReader(id: string, table: unknown, path: string) {
  const values = (table ?? {}) as Table
  const fail = (key: string, expected: string): never => {
    throw new RegistryError(`${id}: ${path}${key}: expected ${expected}, got ${JSON.stringify(values[key]) ?? 'nothing'}`)
  }
  return {
    text(key: string, fallback?: string): string {
      const value = values[key] ?? fallback
      return typeof value === 'string' ? value : fail(key, 'text')
    },
    number(key: string): number {
      const value = values[key]
      return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : fail(key, 'a whole number')
    },
    hex(key: string, bytes: number): string {
      const value = values[key]
      return isHex(value, bytes) ? (value as string).toLowerCase() : fail(key, `${bytes} bytes of hex`)
    },
  }
}
