import { type L1ChainConfig, l1ChainConfigToJson, loadL1ChainConfig } from '@keelson/chainspec'
import { type L1Addresses, type NetworkParameters, parametersToJson } from '@keelson/devnet/genesis'
import { type Address, type BlockId, isHex, NodeError, toAddress, toHash } from '@keelson/primitives'
import { AssemblyError } from '../errors.ts'
import { PRESETS, type Preset, presetParameters } from './presets.ts'
import { readLike } from './read-like.ts'

export const NETWORK_FILE = 'network.json'
const VERSION = 1

/** DepositEntry rejects deposits below the minimum. */
export interface NetworkL1Addresses extends L1Addresses {
  readonly DepositEntry: Address
}

export const L1_CONTRACTS = [
  'AddressManager',
  'ProxyAdmin',
  'SuperchainConfig',
  'SystemConfig',
  'OptimismPortal',
  'L2OutputOracle',
  'L1CrossDomainMessenger',
  'L1StandardBridge',
  'L1ERC721Bridge',
  'OptimismMintableERC20Factory',
  'DepositEntry',
] as const satisfies readonly (keyof NetworkL1Addresses)[]

export interface L1Start extends BlockId {
  readonly timestampSec: number
}

export interface NetworkInputs {
  readonly preset: Preset
  readonly currencySymbol: string
  readonly parameters: NetworkParameters
  readonly l1: {
    readonly chain: L1ChainConfig
    readonly start: L1Start
    readonly addresses: NetworkL1Addresses
  }
}

export function networkInputsToJson({ preset, currencySymbol, parameters, l1 }: NetworkInputs): Record<string, unknown> {
  return {
    version: VERSION,
    preset,
    currencySymbol,
    parameters: parametersToJson(parameters),
    l1: { chain: l1ChainConfigToJson(l1.chain), start: l1.start, addresses: inOrder(l1.addresses) },
  }
}

/** Throws AssemblyError `node/usage` with all format errors; inputMistakes validates the values. */
export function networkInputsFromJson(json: unknown, file: string): NetworkInputs {
  const mistakes: string[] = []
  const root = (json ?? {}) as { readonly [key: string]: unknown; readonly l1?: { readonly [key: string]: unknown } | null }
  if (root.version !== VERSION) mistakes.push(`version: expected ${VERSION}, got ${shown(root.version)}`)
  const preset = PRESETS.find((known) => known === root.preset)
  if (preset === undefined) mistakes.push(`preset: expected ${PRESETS.join(', ')}, got ${shown(root.preset)}`)
  const { currencySymbol } = root
  if (typeof currencySymbol !== 'string') mistakes.push(`currencySymbol: expected text, got ${shown(currencySymbol)}`)
  const parameters = readLike(parametersShape(preset ?? 'test'), root.parameters, 'parameters', mistakes)
  const l1 = root.l1 ?? {}
  const chain = tryRead('l1.chain', mistakes, () => loadL1ChainConfig(l1.chain))
  const start = readLike({ number: 0, hash: toHash(`0x${'00'.repeat(32)}`), timestampSec: 0 }, l1.start, 'l1.start', mistakes)
  const addresses = readL1Addresses(l1.addresses, 'l1.addresses', mistakes)
  if (mistakes.length > 0 || preset === undefined || chain === null || addresses === null || typeof currencySymbol !== 'string')
    throw new AssemblyError('node/usage', `${file} does not describe a network:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
  return { preset, currencySymbol, parameters, l1: { chain, start, addresses } }
}

/** Adds a mistake per missing contract. Accepts the suffix `Proxy` of public registries. */
export function readL1Addresses(json: unknown, what: string, mistakes: string[]): NetworkL1Addresses | null {
  const given = (json ?? {}) as Readonly<Record<string, unknown>>
  const found = L1_CONTRACTS.map((name) => {
    const value = given[name] ?? given[`${name}Proxy`]
    if (!isHex(value, 20)) mistakes.push(`${what}.${name}: expected an address on L1, got ${shown(value)}`)
    return [name, value] as const
  })
  if (found.some(([, value]) => !isHex(value, 20))) return null
  return Object.fromEntries(found.map(([name, value]) => [name, toAddress(value as string)])) as unknown as NetworkL1Addresses
}

export function parametersShape(preset: Preset): NetworkParameters {
  const nobody = toAddress(`0x${'00'.repeat(20)}`)
  return presetParameters(preset, {
    l1ChainId: 0n,
    l2ChainId: 0n,
    roles: { admin: nobody, batcher: nobody, proposer: nobody, sequencer: nobody },
  })
}

function inOrder(addresses: NetworkL1Addresses): Record<string, Address> {
  return Object.fromEntries(L1_CONTRACTS.map((name) => [name, addresses[name]]))
}

function tryRead<T>(what: string, mistakes: string[], read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    mistakes.push(`${what}: ${error.message}`)
    return null
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : String(JSON.stringify(value)).slice(0, 80)
}
