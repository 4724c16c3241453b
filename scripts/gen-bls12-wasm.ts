/**
 * Writes packages/node/src/crypto/curves/bls12-wasm.generated.ts from packages/evm/assembly/bls12.
 *
 *   node --import=tsx scripts/gen-bls12-wasm.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileAssembly } from './compile-assembly.ts'

const ENTRY = 'packages/evm/assembly/bls12/index.ts'
const OUTPUT = fileURLToPath(new URL('../packages/node/src/crypto/curves/bls12-wasm.generated.ts', import.meta.url))
const PAGES = 64

const { bytes } = await compileAssembly(ENTRY, PAGES, [])
const wanted = `/** Written by scripts/gen-bls12-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const BLS12_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
export const BLS12_PAGES = ${PAGES}
`
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-bls12-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
