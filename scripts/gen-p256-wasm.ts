/**
 * Writes packages/evm/src/precompiles/p256-wasm.generated.ts from packages/evm/assembly/p256.
 *
 *   node --import=tsx scripts/gen-p256-wasm.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileAssembly } from './compile-assembly.ts'

const ENTRY = 'packages/evm/assembly/p256/index.ts'
const OUTPUT = fileURLToPath(new URL('../packages/evm/src/precompiles/p256-wasm.generated.ts', import.meta.url))
const PAGES = 1

const { bytes } = await compileAssembly(ENTRY, PAGES, [])
const wanted = `/** Written by scripts/gen-p256-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const P256_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
export const P256_PAGES = ${PAGES}
`
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-p256-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
