/**
 * The files that make a network, in one folder: `rollup.json` (op-node's keys and nothing else),
 * `genesis.json` (geth's form, or `genesis.json.gz`), `l1-chain.json`, and in `keelson.json` what is ours alone.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  type Genesis,
  genesisHeader,
  type L1ChainConfig,
  loadGenesis,
  loadL1ChainConfig,
  loadRollupConfig,
  type RollupConfig,
} from '@keelson/chainspec'
import { type Hash, type Header, hashHeader, L2_TO_L1_MESSAGE_PASSER, l2Time, toHash } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import { AssemblyError } from './errors.ts'

/** Roots of the genesis state, kept so that a start need not build the trie of thousands of accounts again. */
interface GenesisRoots {
  readonly stateRoot: Hash
  readonly messagePasserStorageRoot: Hash | null
}

interface KeelsonFile {
  readonly currencySymbol?: string
  readonly genesisRoots?: GenesisRoots
}

export interface GenesisBlock {
  readonly header: Header
  /** Read and decoded only when called, because only an empty store needs it. */
  readonly genesis: Genesis
}

function readJson(folder: string, name: string): unknown {
  const file = join(folder, name)
  const packed = `${file}.gz`
  try {
    if (!existsSync(file) && existsSync(packed)) return JSON.parse(gunzipSync(readFileSync(packed)).toString('utf8'))
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AssemblyError(
      'node/usage',
      `cannot read ${file}: ${reason}; --network names a folder with rollup.json, genesis.json and l1-chain.json`,
      {},
      { cause },
    )
  }
}

/** Throws AssemblyError `node/usage` or a ChainspecError that lists every mistake in the file. */
export function readRollupConfig(folder: string): RollupConfig {
  return loadRollupConfig(readJson(folder, 'rollup.json'))
}

export function readL1ChainConfig(folder: string): L1ChainConfig {
  return loadL1ChainConfig(readJson(folder, 'l1-chain.json'))
}

export function readCurrencySymbol(folder: string): string {
  return readKeelsonFile(folder).currencySymbol ?? 'ETH'
}

function readKeelsonFile(folder: string): KeelsonFile {
  return existsSync(join(folder, 'keelson.json')) ? (readJson(folder, 'keelson.json') as KeelsonFile) : {}
}

function genesisRoots(folder: string, genesis: Genesis): GenesisRoots {
  const kept = readKeelsonFile(folder).genesisRoots
  if (kept !== undefined) {
    const { messagePasserStorageRoot } = kept
    return {
      stateRoot: toHash(kept.stateRoot),
      messagePasserStorageRoot: messagePasserStorageRoot === null ? null : toHash(messagePasserStorageRoot),
    }
  }
  const state = computeGenesisState(genesis.accounts)
  return { stateRoot: state.stateRoot, messagePasserStorageRoot: state.storageRoot(L2_TO_L1_MESSAGE_PASSER) }
}

/** Throws AssemblyError `node/usage` when the genesis file does not hash to what rollup.json says. */
export function readGenesisBlock(folder: string, rollup: RollupConfig): GenesisBlock {
  const genesis = loadGenesis(readJson(folder, 'genesis.json'))
  const { stateRoot, messagePasserStorageRoot } = genesisRoots(folder, genesis)
  const header = genesisHeader(genesis, stateRoot, messagePasserStorageRoot, rollup.forks.blockRules(l2Time(genesis.timestampSec)))
  const hash = hashHeader(header)
  if (hash !== rollup.genesis.l2.hash) {
    throw new AssemblyError(
      'node/usage',
      `genesis.json in ${folder} makes block ${hash}, but rollup.json says ${rollup.genesis.l2.hash}: the two files are of different networks`,
      { have: hash, want: rollup.genesis.l2.hash },
    )
  }
  return { header, genesis }
}

/** Writes what is ours alone beside the files other clients read too. */
export function writeKeelsonFile(folder: string, content: Required<KeelsonFile>): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'keelson.json'), `${JSON.stringify(content, null, 2)}\n`)
}

export function hasNetwork(folder: string): boolean {
  return existsSync(join(folder, 'rollup.json'))
}
