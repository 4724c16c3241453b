/**
 * Compiles packages/contracts/solidity into packages/contracts/artifacts/own, and generates reference pages.
 *
 *   node --import=tsx scripts/gen-contracts.ts [--check]
 *
 * --check writes nothing and exits with 1 when a file differs.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { OWN_ARTIFACTS } from '@keelson/contracts'
import { contractJson } from './contract-json.ts'
import { type CompiledContract, contractReference } from './contract-reference.ts'
import { compileSolidity } from './solidity.ts'

const PACKAGE = fileURLToPath(new URL('../packages/contracts/', import.meta.url))
const SOURCES = join(PACKAGE, 'solidity')
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const { sources, contracts: compiled } = compileSolidity<CompiledContract>({
  folder: SOURCES,
  // Paris code runs on any fork.
  evmVersion: 'paris',
  outputs: ['abi', 'storageLayout', 'devdoc', 'userdoc', 'evm.bytecode.object', 'evm.deployedBytecode.object'],
})
const libraries = Object.entries(compiled)
  .filter(([file]) => !sources.includes(file))
  .flatMap(([file, contracts]) => Object.values(contracts).map((contract) => ({ from: packageOf(file), contract })))
const files = new Map<string, string>()
for (const name of OWN_ARTIFACTS) {
  const contract = compiled[`${name}.sol`]?.[name]
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

function packageOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/')
}

function withoutInternalType(key: string, value: unknown): unknown {
  return key === 'internalType' ? undefined : value
}
