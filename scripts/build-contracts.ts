/**
 * Extracts the development network's contracts from an unpacked @eth-optimism/contracts-bedrock package (126 MB), and
 * the code of the preinstalls from a genesis file of the superchain registry, to packages/contracts/artifacts.
 *
 *   node --import=tsx scripts/build-contracts.ts --package DIR --registry-genesis FILE.json.gz [--check]
 *
 * DIR holds package.json and forge-artifacts/. --check writes nothing and exits with 1 when a file differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import {
  BEACON_ROOTS_NAME,
  L1_ARTIFACTS,
  L2_ARTIFACTS,
  PERMIT2_CHAIN_ID_OFFSET,
  PERMIT2_DOMAIN_SEPARATOR_OFFSET,
  PREINSTALLS,
} from '@keelson/contracts'
import { BEACON_ROOTS } from '@keelson/primitives'
import { contractJson } from './contract-json.ts'

const OUT = fileURLToPath(new URL('../packages/contracts/artifacts/', import.meta.url))
const EXPECTED = { name: '@eth-optimism/contracts-bedrock', version: '0.17.3' }
/** Upgrade transactions lead to later forks. */
const CONTRACTS_FORK = 'fjord'

const { values: args } = parseArgs({
  options: { package: { type: 'string' }, 'registry-genesis': { type: 'string' }, check: { type: 'boolean', default: false } },
})
if (!args.package || !args['registry-genesis']) {
  console.error('usage: build-contracts.ts --package DIR --registry-genesis FILE.json.gz [--check]')
  process.exit(2)
}
const packageDir = args.package

interface ForgeParameter {
  name: string
  type: string
  indexed?: boolean
  components?: ForgeParameter[]
}
interface ForgeEntry {
  type: string
  name?: string
  inputs?: ForgeParameter[]
  outputs?: ForgeParameter[]
  stateMutability?: string
}
interface ForgeCode {
  object: string
  linkReferences: object
}
interface ForgeArtifact {
  abi: ForgeEntry[]
  bytecode: ForgeCode
  deployedBytecode: ForgeCode
  storageLayout: { storage: { label: string; slot: string; offset: number; type: string }[] }
}

function parameter(p: ForgeParameter): ForgeParameter {
  return {
    name: p.name,
    type: p.type,
    ...(p.indexed ? { indexed: true } : {}),
    ...(p.components ? { components: p.components.map(parameter) } : {}),
  }
}

function extract(name: string): string {
  const file = join(packageDir, 'forge-artifacts', `${name}.sol`, `${name}.json`)
  const forge = JSON.parse(readFileSync(file, 'utf8')) as ForgeArtifact
  for (const code of [forge.bytecode, forge.deployedBytecode]) {
    if (Object.keys(code.linkReferences).length > 0) throw new Error(`${name} needs a library to be linked, which is not supported`)
  }
  const abi = forge.abi.map((entry) => ({
    type: entry.type,
    ...(entry.name ? { name: entry.name } : {}),
    ...(entry.inputs ? { inputs: entry.inputs.map(parameter) } : {}),
    ...(entry.outputs ? { outputs: entry.outputs.map(parameter) } : {}),
    ...(entry.stateMutability ? { stateMutability: entry.stateMutability } : {}),
  }))
  const storage = forge.storageLayout.storage
    .filter((entry) => !entry.label.startsWith('__gap'))
    .map(({ label, slot, offset, type }) => ({ label, slot: Number(slot), offset, type }))
  return contractJson({ name, abi, storage, bytecode: forge.bytecode.object, deployedBytecode: forge.deployedBytecode.object })
}

/** Reads the package's Preinstalls library, a second source that must agree. */
function codeInPackage(): Map<string, string> {
  const source = readFileSync(join(packageDir, 'src/libraries/Preinstalls.sol'), 'utf8')
  const found = new Map<string, string>()
  for (const [, name, code] of source.matchAll(/bytes internal constant (\w+?)(?:Template)?Code =\s+hex"([0-9a-f]+)"/g)) {
    found.set(name as string, `0x${code}`)
  }
  return found
}

const NAME_IN_PACKAGE: Readonly<Record<string, string>> = { EntryPoint_v060: 'EntryPoint', SenderCreator_v060: 'SenderCreator' }

function preinstalls(): string {
  const genesis = JSON.parse(gunzipSync(readFileSync(args['registry-genesis'] as string)).toString()) as {
    alloc: Record<string, { code?: string }>
  }
  const published = codeInPackage()
  const entries: Record<string, unknown> = {}
  let confirmed = 0
  for (const [name, address] of [...Object.entries(PREINSTALLS), [BEACON_ROOTS_NAME, BEACON_ROOTS] as const]) {
    const raw = genesis.alloc[address.slice(2)]?.code
    if (raw === undefined) throw new Error(`the registry genesis has no code for ${name} at ${address}`)
    const code = address === PREINSTALLS.Permit2 ? withoutImmutables(raw) : raw
    const other = published.get(NAME_IN_PACKAGE[name] ?? name)
    if (other !== undefined) {
      if (withoutImmutables(other, name) !== withoutImmutables(code, name)) throw new Error(`the two sources of ${name} differ`)
      confirmed++
    }
    entries[name] = { address, code }
  }
  console.log(`${Object.keys(entries).length} preinstalls, ${confirmed} of them equal in both sources`)
  return contractJson(entries)
}

/** Permit2's code contains the chain ID and the EIP-712 domain. */
function withoutImmutables(code: string, name = 'Permit2'): string {
  if (name !== 'Permit2') return code
  const bytes = Buffer.from(code.slice(2), 'hex')
  bytes.fill(0, PERMIT2_CHAIN_ID_OFFSET, PERMIT2_CHAIN_ID_OFFSET + 32)
  bytes.fill(0, PERMIT2_DOMAIN_SEPARATOR_OFFSET, PERMIT2_DOMAIN_SEPARATOR_OFFSET + 32)
  return `0x${bytes.toString('hex')}`
}

const about = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { name: string; version: string; license: string }
if (about.name !== EXPECTED.name || about.version !== EXPECTED.version) {
  throw new Error(`expected ${EXPECTED.name} ${EXPECTED.version} in ${packageDir}, got ${about.name} ${about.version}`)
}

const files = new Map<string, string>()
for (const name of new Set([...L1_ARTIFACTS, ...L2_ARTIFACTS])) files.set(`${name}.json`, extract(name))
files.set('preinstalls.json', preinstalls())
files.set(
  'manifest.json',
  `${JSON.stringify({ package: about.name, version: about.version, license: about.license, fork: CONTRACTS_FORK }, null, 2)}\n`,
)

mkdirSync(OUT, { recursive: true })
let different = 0
for (const [name, text] of files) {
  const path = join(OUT, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  different++
  if (args.check) console.error(`${name} differs from its sources`)
  else writeFileSync(path, text)
}
console.log(args.check ? `${different} of ${files.size} files differ` : `${different} of ${files.size} files written to ${OUT}`)
process.exit(args.check && different > 0 ? 1 : 0)
