/**
 * `rollup.json` has op-node's format, `genesis.json` or `genesis.json.gz` geth's; `keelson.json` has everything else, including
 * the name of a public L1.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  BUNDLED_FORKS,
  genesisHeader,
  type L1ChainConfig,
  type LaterFork,
  l1ChainConfigToJson,
  loadFrom,
  loadGenesis,
  loadL1ChainConfig,
  loadRollupConfig,
  loadUpgradeBundle,
  type RollupConfig,
  type RollupConfigOptions,
  shippedUpgradeBundle,
  type UpgradeBundle,
  unconfirmedBundle,
} from '@keelson/chainspec'
import {
  bytesToHex,
  CodecError,
  decodeHeader,
  type GenesisAccount,
  type Header,
  hashHeader,
  hexToBytes,
  isHex,
  keccak256Hash,
  L2_TO_L1_MESSAGE_PASSER,
  l2Time,
  messageOf,
  parseJsonObject,
} from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { computeGenesisState } from '@keelson/state'
import { DevnetError } from '../devnet-error.ts'
import { findProjectRoot } from '../genesis/contract-files.ts'
import type { StakingParameters } from '../genesis/staking-parameters.ts'
import { parseKeelsonFile } from './parse-keelson-file.ts'
import type { PublicNetwork } from './public-network.ts'

export interface KeelsonFile {
  readonly currencySymbol?: string
  /** For humans; the program reads rollup.json. */
  readonly fork?: string
  readonly l1Fork?: string
  readonly staking?: Partial<StakingParameters>
  /** File name in config/l1-chains. */
  readonly l1Chain?: string
  readonly publicNetwork?: PublicNetwork
  /** RLP of block 0, so that a start need not compute the state root. */
  readonly genesisHeader?: string
}

export const KEELSON_FILE = 'keelson.json'
/** V8's maximum string length. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
export const DEFAULT_CURRENCY_SYMBOL = 'ETH'

export interface GenesisBlock {
  readonly header: Header
  /** Reads the file on iteration, because only an empty database needs it. */
  readonly accounts: Iterable<GenesisAccount>
}

/** Reads NAME or NAME.gz. Throws DevnetError `node/usage`. */
export function readNetworkJson(folder: string, name: string): unknown {
  const file = join(folder, name)
  const packed = `${file}.gz`
  try {
    if (!existsSync(file) && existsSync(packed))
      return JSON.parse(gunzipSync(readFileSync(packed), { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8'))
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = messageOf(cause)
    throw new DevnetError(
      'node/usage',
      `cannot read ${file}: ${reason}; --network takes the name of a public network, or a folder with rollup.json, genesis.json and l1-chain.json`,
      {},
      { cause },
    )
  }
}

/** Throws DevnetError `node/usage`, or a ChainspecError that names the file and lists all mistakes. */
export function loadNetworkFile<T>(folder: string, name: string, load: (json: unknown) => T): T {
  const json = readNetworkJson(folder, name)
  return loadFrom(join(folder, name), () => load(json))
}

/** File of a private network's own upgrade transactions. */
export function upgradeBundleName(fork: LaterFork): string {
  return `upgrade-${fork}.json`
}

/** The format of op-node's `--interop.dependency-set`. A network without the file depends on no other chain. */
export const DEPENDENCY_SET_FILE = 'dependency-set.json'

/** Throws DevnetError `node/usage`, or a ChainspecError that lists all mistakes. */
export function readRollupConfig(folder: string, options: RollupConfigOptions = {}): RollupConfig {
  const upgradeBundles = Object.fromEntries(readUpgradeBundles(folder))
  const dependencySet = readDependencySet(folder)
  return loadNetworkFile(folder, 'rollup.json', (json) => loadRollupConfig(json, { upgradeBundles, dependencySet, ...options }))
}

function readDependencySet(folder: string): readonly bigint[] {
  if (!existsSync(join(folder, DEPENDENCY_SET_FILE))) return []
  try {
    const { dependencies } = parseJsonObject(readNetworkJson(folder, DEPENDENCY_SET_FILE), 'document')
    return Object.keys(parseJsonObject(dependencies, 'dependencies')).map((chainId) => {
      if (/^[1-9][0-9]*$/.test(chainId)) return BigInt(chainId)
      throw new CodecError('codec/number', `dependencies: expected chain ids as keys, got ${JSON.stringify(chainId)}`)
    })
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause
    const expected = 'expected {"dependencies": {"CHAIN ID": {}, ...}}, as op-node reads it'
    throw new DevnetError('node/usage', `${join(folder, DEPENDENCY_SET_FILE)}: ${cause.message}; ${expected}`, {}, { cause })
  }
}

function readUpgradeBundles(folder: string): readonly (readonly [LaterFork, UpgradeBundle])[] {
  const present = BUNDLED_FORKS.filter((fork) => existsSync(join(folder, upgradeBundleName(fork))))
  return present.map((fork) => [fork, loadNetworkFile(folder, upgradeBundleName(fork), (json) => loadUpgradeBundle(fork, json))])
}

export function replacedBundleWarnings(folder: string): readonly string[] {
  const text = (bundle: UpgradeBundle | null) => bundle?.transactions.map((raw) => bytesToHex(raw)).join()
  return readUpgradeBundles(folder)
    .filter(([fork]) => unconfirmedBundle(fork) === null)
    .filter(([fork, bundle]) => text(bundle) !== text(shippedUpgradeBundle(fork)))
    .map(
      ([fork]) =>
        `${join(folder, upgradeBundleName(fork))} replaces the official upgrade transactions of ${fork}: this node leaves a public ` +
        `network in the block that activates ${fork}; remove the file unless the whole network uses it`,
    )
}

/** Throws DevnetError `node/usage`, ChainspecError `chainspec/l1-chain`. */
export function readL1ChainConfig(folder: string): L1ChainConfig {
  const { l1Chain } = readKeelsonFile(folder)
  if (l1Chain === undefined || existsSync(join(folder, 'l1-chain.json'))) return loadNetworkFile(folder, 'l1-chain.json', loadL1ChainConfig)
  return loadNetworkFile(join(findProjectRoot(), 'config', 'l1-chains'), `${l1Chain}.json`, loadL1ChainConfig)
}

export function readL1ChainJson(folder: string): Record<string, unknown> {
  return l1ChainConfigToJson(readL1ChainConfig(folder))
}

export function readCurrencySymbol(folder: string): string {
  return readKeelsonFile(folder).currencySymbol ?? DEFAULT_CURRENCY_SYMBOL
}

export function readPublicNetwork(folder: string): PublicNetwork | null {
  return readKeelsonFile(folder).publicNetwork ?? null
}

/** Throws DevnetError `node/usage` for an invalid file. */
export function readKeelsonFile(folder: string): KeelsonFile {
  const file = join(folder, KEELSON_FILE)
  if (!existsSync(file)) return {}
  const json = readNetworkJson(folder, KEELSON_FILE)
  try {
    return parseKeelsonFile(json)
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause
    throw new DevnetError('node/usage', `${file}: ${cause.message}; correct it, or use the file that came with the network`, {}, { cause })
  }
}

function keptGenesisHeader(folder: string, rollup: RollupConfig): Header | null {
  const kept = readKeelsonFile(folder).genesisHeader
  if (kept === undefined || !isHex(kept)) return null
  const raw = hexToBytes(kept)
  return keccak256Hash(raw) === rollup.genesis.l2.hash ? decodeHeader(raw) : null
}

function assertGenesisHash(folder: string, header: Header, rollup: RollupConfig): void {
  const hash = hashHeader(header)
  if (hash === rollup.genesis.l2.hash) return
  throw new DevnetError(
    'node/usage',
    `genesis.json in ${folder} makes block ${hash}, but rollup.json says ${rollup.genesis.l2.hash}: the two files are of different networks`,
    { have: hash, want: rollup.genesis.l2.hash },
  )
}

/** A chain that continues an older one has its first state in no genesis file. */
function assertGenesisFile(folder: string, { number }: Header): void {
  if (readPublicNetwork(folder)?.state !== 'snapshot' || existsSync(join(folder, 'genesis.json'))) return
  throw new DevnetError(
    'node/usage',
    `the state of block ${number}, with which this chain begins here, comes from an older chain, and no genesis file holds it: import a ` +
      `snapshot that another Keelson node of this network exported, ${asCalled('db')} import --data-dir FOLDER --from SNAPSHOT ` +
      '--network NETWORK. Data directories and snapshots of op-geth and op-reth have other formats and cannot be imported',
    { number },
  )
}

/** Throws DevnetError `node/usage` if the genesis file does not match the hash in rollup.json. */
export function readGenesisBlock(folder: string, rollup: RollupConfig): GenesisBlock {
  const rules = rollup.forks.blockRules(l2Time(rollup.genesis.l2TimestampSec))
  const kept = keptGenesisHeader(folder, rollup)
  if (kept !== null) {
    return {
      header: kept,
      accounts: {
        *[Symbol.iterator]() {
          assertGenesisFile(folder, kept)
          const genesis = loadNetworkFile(folder, 'genesis.json', loadGenesis)
          // The stored roots are trusted until storing the accounts verifies them.
          assertGenesisHash(folder, genesisHeader(genesis, kept.stateRoot, kept.withdrawalsRoot, rules), rollup)
          yield* genesis.accounts
        },
      },
    }
  }
  const genesis = loadNetworkFile(folder, 'genesis.json', loadGenesis)
  const state = computeGenesisState(genesis.accounts)
  const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
  assertGenesisHash(folder, header, rollup)
  return { header, accounts: genesis.accounts }
}

export function writeKeelsonFile(folder: string, content: KeelsonFile): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, KEELSON_FILE), `${JSON.stringify(content, null, 2)}\n`)
}

export function hasNetwork(folder: string): boolean {
  return existsSync(join(folder, 'rollup.json'))
}
