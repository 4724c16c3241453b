import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const solc = require('solc') as {
  compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string
}

export interface SolidityOptions {
  readonly folder: string
  readonly evmVersion: string
  readonly outputs: readonly string[]
}

export interface SolidityOutput<Contract> {
  readonly sources: readonly string[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Contract>>>>
}

/** Prints the compiler's complaints and ends the process if there are any. */
export function compileSolidity<Contract>({ folder, evmVersion, outputs }: SolidityOptions): SolidityOutput<Contract> {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sol'))
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources.map((file) => [file, { content: readFileSync(join(folder, file), 'utf8') }])),
    settings: {
      evmVersion,
      // The metadata hash would depend on the build folder.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      optimizer: { enabled: true, runs: 1000 },
      outputSelection: { '*': { '*': outputs } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: readFromPackage })) as {
    readonly errors?: readonly { readonly formattedMessage: string }[]
    readonly contracts: SolidityOutput<Contract>['contracts']
  }
  const complaints = output.errors ?? []
  for (const { formattedMessage } of complaints) console.error(formattedMessage)
  if (complaints.length > 0) process.exit(1)
  return { sources, contracts: output.contracts }
}

function readFromPackage(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') }
  } catch (error) {
    return { error: String(error) }
  }
}
