/**
 * Compiles packages/contracts/solidity into packages/contracts/artifacts/own, and generates reference pages.
 *
 *   node --import=tsx scripts/gen-contracts.ts [--check]
 *
 * --check writes nothing and exits with 1 when a file differs.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { OWN_ARTIFACTS } from '@keelson/contracts'
import { contractJson } from './contract-json.ts'
import { type CompiledContract, contractReference } from './contract-reference.ts'

const PACKAGE = fileURLToPath(new URL('../packages/contracts/', import.meta.url))
const SOURCES = join(PACKAGE, 'solidity')
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const require = createRequire(import.meta.url)
const solc = require('solc') as {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string
}

interface Output {
  readonly errors?: readonly { severity: string; formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sol'))
const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: Object.fromEntries(sources.map((file) => [file, { content: readFileSync(join(SOURCES, file), 'utf8') }])),
      settings: {
        // Paris code runs on any fork; the metadata hash would depend on the build folder.
        evmVersion: 'paris',
        metadata: { bytecodeHash: 'none', appendCBOR: false },
        optimizer: { enabled: true, runs: 1000 },
        outputSelection: {
          '*': { '*': ['abi', 'storageLayout', 'devdoc', 'userdoc', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
        },
      },
    }),
    { import: readFromPackage },
  ),
) as Output
const complaints = output.errors ?? []
for (const { formattedMessage } of complaints) console.error(formattedMessage)
if (complaints.length > 0) process.exit(1)

const libraries = Object.entries(output.contracts)
  .filter(([file]) => !sources.includes(file))
  .flatMap(([file, contracts]) => Object.values(contracts).map((contract) => ({ from: packageOf(file), contract })))
const files = new Map<string, string>()
for (const name of OWN_ARTIFACTS) {
  const contract = output.contracts[`${name}.sol`]?.[name]
  if (contract === undefined) throw new Error(`${SOURCES} has no contract ${name} in ${name}.sol`)
  const storage = contract.storageLayout.storage.map(({ label, slot, offset, type }) => ({
    label,
    slot: Number(slot),
    offset,
    // Removes the compiler's structure numbers, which depend on all sources.
    type: type.replace(/\)\d+/g, ')'),
  }))
  const abi = JSON.parse(JSON.stringify(contract.abi, withoutInternalType))
  const { bytecode, deployedBytecode } = contract.evm
  files.set(
    join('artifacts', 'own', `${name}.json`),
    contractJson({ name, abi, storage, bytecode: `0x${bytecode.object}`, deployedBytecode: `0x${deployedBytecode.object}` }),
  )
  files.set(join('reference', `${name}.md`), contractReference(name, contract, libraries))
}

let different = 0
for (const [name, text] of files) {
  const path = join(PACKAGE, name)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  different++
  if (args.check) console.error(`${name} differs from its source`)
  else {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text)
  }
}
console.log(args.check ? `${different} of ${files.size} files differ` : `${different} of ${files.size} files written`)
process.exitCode = args.check && different > 0 ? 1 : 0

function readFromPackage(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}

function packageOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/')
}

function withoutInternalType(key: string, value: unknown): unknown {
  return key === 'internalType' ? undefined : value
}
