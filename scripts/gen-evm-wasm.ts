/**
 * Writes packages/evm/src/wasm/core-wasm.generated.ts from packages/evm/assembly.
 *
 *   node --import=tsx scripts/gen-evm-wasm.ts [--check] [--text FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MEMORY, PAGE, STATIC_DATA } from '../packages/evm/src/wasm/layout.ts'
import { compileAssembly } from './compile-assembly.ts'

const ENTRY = 'packages/evm/assembly/index.ts'
const OUTPUT = fileURLToPath(new URL('../packages/evm/src/wasm/core-wasm.generated.ts', import.meta.url))
const MAX_PAGES = 65_536

function generatedFile(bytes: Uint8Array): string {
  return `/** Written by scripts/gen-evm-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const CORE_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
`
}

const options = ['--exportTable', '--maximumMemory', `${MAX_PAGES}`, '--memoryBase', `${STATIC_DATA}`]
const { bytes, text } = await compileAssembly(ENTRY, MEMORY / PAGE, options)
const wanted = generatedFile(bytes)
const textFile = process.argv[process.argv.indexOf('--text') + 1]
if (process.argv.includes('--text') && textFile !== undefined) writeFileSync(textFile, text)
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-evm-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
