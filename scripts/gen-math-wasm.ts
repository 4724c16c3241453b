/**
 * Writes packages/evm/src/wasm/math-wasm.generated.ts, for precompiles and tests, from packages/evm/assembly/math.
 *
 *   node --import=tsx scripts/gen-math-wasm.ts [--check] [--text FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MATH_SCRATCH, PAGE, STATIC_DATA } from '../packages/evm/src/wasm/layout.ts'
import { compileAssembly } from './compile-assembly.ts'

const ENTRY = 'packages/evm/assembly/math/index.ts'
const OUTPUT = fileURLToPath(new URL('../packages/evm/src/wasm/math-wasm.generated.ts', import.meta.url))
const PAGES = 8
const INPUT_AT = MATH_SCRATCH + PAGE

const { bytes, text } = await compileAssembly(ENTRY, PAGES, ['--memoryBase', `${STATIC_DATA}`])
const wanted = `/** Written by scripts/gen-math-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const MATH_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
export const MATH_PAGES = ${PAGES}
/** First address that the module does not use itself. */
export const MATH_INPUT_AT = 0x${INPUT_AT.toString(16)}
`
const textFile = process.argv[process.argv.indexOf('--text') + 1]
if (process.argv.includes('--text') && textFile !== undefined) writeFileSync(textFile, text)
if (process.argv.includes('--check')) {
  if (readFileSync(OUTPUT, 'utf8') !== wanted) {
    console.error(`${OUTPUT} is out of date; run node --import=tsx scripts/gen-math-wasm.ts`)
    process.exit(1)
  }
} else {
  writeFileSync(OUTPUT, wanted)
}
