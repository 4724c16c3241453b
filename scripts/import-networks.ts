/**
 * Writes config/networks from a checkout of the superchain registry; left-out.json has the reasons for missing chains. Equal
 * checkouts and Node.js versions give equal bytes. Needs `zstd`.
 *
 *   node --import=tsx scripts/import-networks.ts DIR --base-registry DIR
 *   node --import=tsx scripts/import-networks.ts DIR --chain mainnet/bob --out FOLDER
 *
 * The second form writes one chain, even one that is left out.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { findProjectRoot } from '../packages/devnet/src/genesis/contract-files.ts'
import { BASE_CHAINS, BASE_REGISTRY_COMMIT } from './networks/base-chains.ts'
import { networkFiles } from './networks/network-files.ts'
import type { RegistryChain } from './networks/registry-chain.ts'
import { openRegistry, type RegistryCheckout } from './networks/registry-checkout.ts'
import { networkName, reasonToLeaveOut } from './networks/select-chains.ts'

const USAGE = `usage: node --import=tsx scripts/import-networks.ts DIR --base-registry DIR
       node --import=tsx scripts/import-networks.ts DIR --chain SUPERCHAIN/NAME --out FOLDER`

const { values: args, positionals } = parseArgs({
  options: { 'base-registry': { type: 'string' }, chain: { type: 'string' }, out: { type: 'string' } },
  allowPositionals: true,
})
const folder = positionals[0]
if (folder === undefined || (args.chain === undefined) === (args['base-registry'] === undefined)) {
  console.error(USAGE)
  process.exit(2)
}
const registry = openRegistry(folder)
if (args.chain === undefined) importAll(registry, openRegistry(args['base-registry'] as string))
else importOne(registry, args.chain)

function importAll(newest: RegistryCheckout, older: RegistryCheckout): void {
  if (older.commit !== BASE_REGISTRY_COMMIT)
    throw new Error(`--base-registry: expected a checkout of ${BASE_REGISTRY_COMMIT}, got ${older.commit}`)
  for (const { reason } of newest.unreadable) throw new Error(reason)
  const networks = join(findProjectRoot(), 'config', 'networks')
  const base = older.chains.filter(({ id }) => id in BASE_CHAINS)
  const leftOut: Record<string, string> = {}
  for (const chain of newest.chains) {
    const reason = reasonToLeaveOut(chain)
    if (reason === null) write(newest, chain, join(networks, networkName(chain)))
    else leftOut[chain.id] = reason
  }
  for (const chain of base) write(older, chain, join(networks, networkName(chain)))
  writeFileSync(join(networks, 'left-out.json'), `${JSON.stringify(leftOut, null, 2)}\n`)
  console.log(`${Object.keys(leftOut).length} chains are left out; see config/networks/left-out.json`)
}

function importOne(from: RegistryCheckout, id: string): void {
  const chain = from.chains.find((found) => found.id === id)
  if (chain === undefined) throw new Error(`the registry has no chain ${id}; it has ${from.chains.map((found) => found.id).join(', ')}`)
  write(from, chain, args.out ?? networkName(chain))
}

/** Keeps an unchanged genesis file, which other releases of Node.js would compress differently. */
function write(from: RegistryCheckout, chain: RegistryChain, target: string): void {
  mkdirSync(target, { recursive: true })
  let bytes = 0
  for (const [name, content] of networkFiles(from, chain)) {
    const path = join(target, name)
    const same = name.endsWith('.gz') && existsSync(path) && gunzipSync(readFileSync(path)).equals(gunzipSync(content))
    if (!same) writeFileSync(path, content)
    bytes += content.length
  }
  console.log(`${target}  ${Math.round(bytes / 1000)} kB`)
}
