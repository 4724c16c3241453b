import { join } from 'node:path'
import type { RollupConfig } from '@keelson/chainspec'
import { createContractCaller, createHttpRpcClient } from '@keelson/client'
import { readGenesisBlock, readNetworkJson, readRollupConfig } from '@keelson/devnet/network-files'
import { type ImportResult, importSnapshot, type SnapshotManifest, type TaskContext } from '@keelson/execution'
import { type Clock, type Hash, type Header, type Logger, l2Time, type Random } from '@keelson/primitives'
import {
  claimDataDirectory,
  createMetrics,
  type OptionValues,
  openLevelStore,
  option,
  optionalOption,
  optionParsers as parse,
} from '@keelson/runtime'
import { createNativeCrypto } from '../../crypto/native-crypto.ts'
import { AssemblyError } from '../../errors.ts'
import { assertL1Chain } from '../../l1/assert-l1-chain.ts'
import { optionalNetworkOption } from '../../networks/network-option.ts'
import { DATA_LAYOUT_VERSION } from './database-control.ts'
import { findOracle, findOutputOnL1 } from './output-on-l1.ts'
import { readChunk, readManifest } from './snapshot-folder.ts'

export const importOptions = {
  from: optionalOption({ key: 'db.from', flag: 'from', parse: parse.path, description: 'import: folder of the snapshot.' }),
  network: optionalNetworkOption('import, supply: name of a public network, or folder with rollup.json, genesis.json and l1-chain.json.'),
  l1Rpc: optionalOption({
    key: 'l1.rpc',
    parse: parse.httpUrl,
    description: 'import: RPC of L1, which says what the output root is; supply: which says what the portal holds.',
  }),
  oracle: optionalOption({
    key: 'oracle',
    parse: parse.address,
    description: 'import: L2OutputOracle on L1; default: as in addresses.json.',
  }),
  outputRoot: optionalOption({
    key: 'db.outputRoot',
    flag: 'output-root',
    parse: parse.hash,
    description: 'import: the output root, from a source you trust.',
  }),
  trust: option({
    key: 'db.trust',
    flag: 'trust',
    parse: parse.toggle,
    default: false,
    description: 'import: take the snapshot without a proof.',
  }),
} as const

export interface ImportTools {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Throws AssemblyError `node/usage`, ExecutionError `execution/bad-snapshot`, RuntimeError. */
export async function importIntoDirectory(
  dataDir: string,
  values: OptionValues<typeof importOptions>,
  tools: ImportTools,
  context: TaskContext,
): Promise<ImportResult> {
  const { from, network } = values
  if (from === null || network === null)
    throw new AssemblyError('node/usage', 'give the snapshot and the network: --from FOLDER --network NETWORK')
  const rollup = readRollupConfig(network, { allowSameChainId: true })
  const manifest = await readManifest(from)
  const outputRoot = await trustedRoot(values, network, rollup, manifest, tools)
  const chainId = rollup.l2ChainId
  const genesis = { hash: rollup.genesis.l2.hash, header: readGenesisBlock(network, rollup).header }
  await claimDataDirectory(dataDir, { version: DATA_LAYOUT_VERSION, role: 'execution', chainId, genesisHash: genesis.hash })
  const store = await openLevelStore({ directory: join(dataDir, 'chain') })
  try {
    const crypto = createNativeCrypto()
    const rootInHeader = (header: Header) => rollup.forks.blockRules(l2Time(header.timestampSec)).withdrawals === 'storage-root'
    return await importSnapshot(
      { store, manifest, chainId, genesis, outputRoot, rootInHeader, crypto, read: (file, bytes) => readChunk(from, file, bytes) },
      context,
    )
  } finally {
    await store.close()
  }
}

async function trustedRoot(
  { l1Rpc, oracle, outputRoot, trust }: OptionValues<typeof importOptions>,
  network: string,
  rollup: RollupConfig,
  manifest: SnapshotManifest,
  { clock, random, log }: ImportTools,
): Promise<Hash | null> {
  if (outputRoot !== null) return outputRoot
  if (l1Rpc === null) {
    if (trust) return null
    throw new AssemblyError(
      'node/usage',
      'nothing says that the snapshot is right: give --l1.rpc, or --output-root from a source you trust, or --trust the snapshot',
    )
  }
  const rpc = createHttpRpcClient({ url: l1Rpc }, { clock, random, log, metrics: createMetrics('keelson_db') })
  await assertL1Chain(rpc, rollup)
  const last = manifest.blockNumber + manifest.headers.length - 1
  return findOutputOnL1(
    createContractCaller(rpc),
    oracle ?? findOracle(network, readNetworkJson(network, 'addresses.json')),
    manifest.blockNumber,
    last,
  )
}
