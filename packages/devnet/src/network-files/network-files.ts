/**
 * The files that make a network, in one folder: `rollup.json` (op-node's keys and nothing else),
 * `genesis.json` (geth's form, or `genesis.json.gz`), `l1-chain.json`, and in `keelson.json` what is ours alone.
 * A network on a public L1 names that chain in keelson.json instead of having an l1-chain.json of its own.
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
  loadGenesis,
  loadL1ChainConfig,
  loadRollupConfig,
  loadUpgradeBundle,
  type RollupConfig,
  type RollupConfigOptions,
  shippedUpgradeBundle,
  type UpgradeBundle,
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
  /** OP Stack fork in force from the first block, for readers of the file: the program reads rollup.json. */
  readonly fork?: string
  /** Fork of the development L1 under it. */
  readonly l1Fork?: string
  /** Periods of a development network's staking that were chosen with it. */
  readonly staking?: Partial<StakingParameters>
  /** A public L1, by the name of its file in config/l1-chains; in place of l1-chain.json. */
  readonly l1Chain?: string
  readonly publicNetwork?: PublicNetwork
  /** RLP of block 0, kept so that a start need neither read the accounts nor build their trie. */
  readonly genesisHeader?: string
}

export const KEELSON_FILE = 'keelson.json'
/** More than a string can hold is no document; the largest genesis file that is shipped unpacks to far less. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
export const DEFAULT_CURRENCY_SYMBOL = 'ETH'

export interface GenesisBlock {
  readonly header: Header
  /** Read from the file only when walked, because only an empty store needs them. Throws DevnetError `node/usage`. */
  readonly accounts: Iterable<GenesisAccount>
}

/** A file of the network as it stands, packed or not. Throws DevnetError `node/usage`. */
export function readNetworkJson(folder: string, name: string): unknown {
  const file = join(folder, name)
  const packed = `${file}.gz`
  try {
    if (!existsSync(file) && existsSync(packed))
      return JSON.parse(gunzipSync(readFileSync(packed), { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8'))
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DevnetError(
      'node/usage',
      `cannot read ${file}: ${reason}; --network takes the name of a public network, or a folder with rollup.json, genesis.json and l1-chain.json`,
      {},
      { cause },
    )
  }
}

/** Beside rollup.json, on private networks only: upgrade transactions in place of the fork's own. */
export function upgradeBundleName(fork: LaterFork): string {
  return `upgrade-${fork}.json`
}

/** Throws DevnetError `node/usage`, or a ChainspecError that lists every mistake in a file. */
export function readRollupConfig(folder: string, options: RollupConfigOptions = {}): RollupConfig {
  const upgradeBundles = Object.fromEntries(readUpgradeBundles(folder))
  return loadRollupConfig(readNetworkJson(folder, 'rollup.json'), { upgradeBundles, ...options })
}

function readUpgradeBundles(folder: string): readonly (readonly [LaterFork, UpgradeBundle])[] {
  const present = BUNDLED_FORKS.filter((fork) => existsSync(join(folder, upgradeBundleName(fork))))
  return present.map((fork) => [fork, loadUpgradeBundle(fork, readNetworkJson(folder, upgradeBundleName(fork)))])
}

/** Returns a warning for each bundle in the folder that differs from the one this program ships. Throws as readRollupConfig. */
export function replacedBundleWarnings(folder: string): readonly string[] {
  const text = (bundle: UpgradeBundle | null) => bundle?.transactions.map((raw) => bytesToHex(raw)).join()
  return readUpgradeBundles(folder)
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
  if (l1Chain === undefined || existsSync(join(folder, 'l1-chain.json'))) return loadL1ChainConfig(readNetworkJson(folder, 'l1-chain.json'))
  return loadL1ChainConfig(readNetworkJson(join(findProjectRoot(), 'config', 'l1-chains'), `${l1Chain}.json`))
}

/** The same as a document for other clients. Throws as readL1ChainConfig. */
export function readL1ChainJson(folder: string): Record<string, unknown> {
  return l1ChainConfigToJson(readL1ChainConfig(folder))
}

export function readCurrencySymbol(folder: string): string {
  return readKeelsonFile(folder).currencySymbol ?? DEFAULT_CURRENCY_SYMBOL
}

/** Null for a network of one's own. Throws as readKeelsonFile. */
export function readPublicNetwork(folder: string): PublicNetwork | null {
  return readKeelsonFile(folder).publicNetwork ?? null
}

/** Throws DevnetError `node/usage` when it cannot be read or a key has a wrong value; empty when there is no such file. */
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

/** Block 0 as kept beside rollup.json; null when it is not kept, or is that of another network. */
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

/** Throws DevnetError `node/usage` for a chain that continues an older one: its first state is in no genesis file. */
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

/** Throws DevnetError `node/usage` when the genesis file does not hash to what rollup.json says. */
export function readGenesisBlock(folder: string, rollup: RollupConfig): GenesisBlock {
  const rules = rollup.forks.blockRules(l2Time(rollup.genesis.l2TimestampSec))
  const kept = keptGenesisHeader(folder, rollup)
  if (kept !== null) {
    return {
      header: kept,
      accounts: {
        *[Symbol.iterator]() {
          assertGenesisFile(folder, kept)
          const genesis = loadGenesis(readNetworkJson(folder, 'genesis.json'))
          // the roots are taken as kept: who walks the accounts builds the trie and compares
          assertGenesisHash(folder, genesisHeader(genesis, kept.stateRoot, kept.withdrawalsRoot, rules), rollup)
          yield* genesis.accounts
        },
      },
    }
  }
  const genesis = loadGenesis(readNetworkJson(folder, 'genesis.json'))
  const state = computeGenesisState(genesis.accounts)
  const header = genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), rules)
  assertGenesisHash(folder, header, rollup)
  return { header, accounts: genesis.accounts }
}

/** Writes what is ours alone beside the files other clients read too. */
export function writeKeelsonFile(folder: string, content: KeelsonFile): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, KEELSON_FILE), `${JSON.stringify(content, null, 2)}\n`)
}

export function hasNetwork(folder: string): boolean {
  return existsSync(join(folder, 'rollup.json'))
}
