/**
 * Compiles scripts/bench/evm/solidity into scripts/bench/evm/contracts.generated.ts.
 *
 *   node --import=tsx scripts/gen-bench-contracts.ts [--check]
 *
 * --check writes nothing and exits with 1 when the file differs.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compileSolidity } from './solidity.ts'

const SOURCES = fileURLToPath(new URL('bench/evm/solidity/', import.meta.url))
const OUT = fileURLToPath(new URL('bench/evm/contracts.generated.ts', import.meta.url))
const { values: args } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

interface Contract {
  readonly evm: {
    readonly deployedBytecode: { readonly object: string }
    readonly methodIdentifiers: Readonly<Record<string, string>>
  }
}

const { contracts } = compileSolidity<Contract>({
  folder: SOURCES,
  evmVersion: 'cancun',
  outputs: ['evm.deployedBytecode.object', 'evm.methodIdentifiers'],
})
const entries = Object.values(contracts)
  .flatMap((file) => Object.entries(file))
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, { evm }]) => {
    const selectors = Object.entries(evm.methodIdentifiers).map(([signature, hex]) => `      '${signature.split('(')[0]}': '0x${hex}',`)
    return `  ${name}: {\n    code: '0x${evm.deployedBytecode.object}',\n    selectors: {\n${selectors.join('\n')}\n    },\n  },`
  })
const text = `// Written by scripts/gen-bench-contracts.ts from scripts/bench/evm/solidity.\nexport const BENCH_CONTRACTS = {\n${entries.join('\n')}\n} as const\n`
const same = existsSync(OUT) && readFileSync(OUT, 'utf8') === text
if (!same && args.check) console.error(`${OUT} differs from its sources`)
if (!same && !args.check) writeFileSync(OUT, text)
console.log(args.check ? `${same ? 0 : 1} of 1 files differ` : `${same ? 0 : 1} of 1 files written`)
process.exitCode = args.check && !same ? 1 : 0
