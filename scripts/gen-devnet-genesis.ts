/**
 * Builds config/networks/devnet; --check only compares, and exits with 1 when a file differs.
 *
 *   node --import=tsx scripts/gen-devnet-genesis.ts [--check]
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { createPureCrypto } from '@keelson/primitives'
import { findProjectRoot, openContractFiles } from '../packages/devnet/src/genesis/contract-files.ts'
import { buildDevnetGenesis } from '../packages/devnet/src/genesis/devnet/build-devnet-genesis.ts'
import { DEFAULT_DEVNET_PARAMETERS } from '../packages/devnet/src/genesis/devnet/devnet-parameters.ts'
import { prebuiltFiles } from '../packages/devnet/src/genesis/devnet/prebuilt-devnet.ts'
import { openEngine } from '../packages/node/src/evm/open-engine.ts'

const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const root = findProjectRoot()
const folder = join(root, 'config', 'networks', 'devnet')

const genesis = await buildDevnetGenesis({
  engine: openEngine('wasm-interpreter', { crypto: createPureCrypto() }),
  contracts: openContractFiles(root),
  parameters: DEFAULT_DEVNET_PARAMETERS,
  genesisTimeSec: 0,
})

/** Compares unpacked files, because zlib versions compress differently. */
function unpacked(name: string, bytes: Uint8Array): string {
  return name.endsWith('.gz') ? gunzipSync(bytes).toString() : new TextDecoder().decode(bytes)
}

mkdirSync(folder, { recursive: true })
let different = 0
for (const [name, bytes] of prebuiltFiles(genesis)) {
  const path = join(folder, name)
  if (existsSync(path) && unpacked(name, readFileSync(path)) === unpacked(name, bytes)) continue
  different++
  if (args.check) console.error(`config/networks/devnet/${name} is out of date; run scripts/gen-devnet-genesis.ts`)
  else writeFileSync(path, bytes)
}
console.log(args.check ? `devnet genesis: ${different} files differ` : `devnet genesis: ${different} files written`)
process.exit(args.check && different > 0 ? 1 : 0)
