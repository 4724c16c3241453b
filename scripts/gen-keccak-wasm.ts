/**
 * Writes packages/primitives/src/keccak-wasm.generated.ts from packages/evm/assembly/math.
 *
 *   node --import=tsx scripts/gen-keccak-wasm.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { KECCAK_STATE_OFFSET, MATH_SCRATCH, PAGE, STATIC_DATA } from '../packages/evm/src/wasm/layout.ts'
import { compileAssembly } from './compile-assembly.ts'

const ENTRY = 'packages/evm/assembly/math/keccak.ts'
const OUTPUT = fileURLToPath(new URL('../packages/primitives/src/keccak-wasm.generated.ts', import.meta.url))
const PAGES = 4

const { bytes } = await compileAssembly(ENTRY, PAGES, ['--memoryBase', `${STATIC_DATA}`])
const wanted = `/** Written by scripts/gen-keccak-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const KECCAK_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
/** Size of the memory that the module imports. */
export const KECCAK_PAGES = ${PAGES}
/** First address that the module does not use itself. */
export const KECCAK_FREE_AT = 0x${(MATH_SCRATCH + PAGE).toString(16)}
/** Address of the 25 lanes between \`beginKeccak\` and \`finishKeccak\`. */
export const KECCAK_STATE_AT = 0x${(MATH_SCRATCH + KECCAK_STATE_OFFSET).toString(16)}
`
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-keccak-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
