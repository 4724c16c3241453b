/**
 * Writes packages/evm/src/wasm/core-wasm.generated.ts: the interpreter of packages/evm/assembly, compiled by AssemblyScript, whose
 * exact version makes the bytes reproducible.
 *
 *   node --import=tsx scripts/gen-evm-wasm.ts [--check] [--text FILE]
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'
import { MEMORY, PAGE, STATIC_DATA } from '../packages/evm/src/wasm/layout.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ENTRY = 'packages/evm/assembly/index.ts'
const OUTPUT = fileURLToPath(new URL('../packages/evm/src/wasm/core-wasm.generated.ts', import.meta.url))
const MAX_PAGES = 65_536

async function compile(): Promise<{ readonly binary: Uint8Array; readonly text: string }> {
  let binary: Uint8Array | null = null
  let text = ''
  const memory = [
    '--importMemory',
    '--initialMemory',
    `${MEMORY / PAGE}`,
    '--maximumMemory',
    `${MAX_PAGES}`,
    '--memoryBase',
    `${STATIC_DATA}`,
  ]
  const { error, stderr } = await main(
    [
      ...[ENTRY, '--outFile', 'core.wasm', '--textFile', 'core.wat', '--runtime', 'stub', '-O3', '--noAssert', '--converge'],
      ...['--enable', 'simd', '--enable', 'bulk-memory', '--exportTable', '--use', 'abort=', ...memory],
    ],
    {
      readFile: (name, baseDir) => readIfPresent(`${baseDir ?? ROOT}/${name}`),
      writeFile(name, contents) {
        if (name.endsWith('.wasm')) binary = contents as unknown as Uint8Array
        else text = String(contents)
      },
      listFiles: () => [],
    },
  )
  if (error !== null || binary === null) throw new Error(`${ENTRY} does not compile:\n${stderr.toString()}`)
  return { binary, text }
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function generatedFile(bytes: Uint8Array): string {
  return `/** Written by scripts/gen-evm-wasm.ts; do not edit. ${bytes.length} bytes of WebAssembly. */
export const CORE_WASM_BASE64 =
  '${Buffer.from(bytes).toString('base64')}'
`
}

process.chdir(ROOT)
const { binary, text } = await compile()
const wanted = generatedFile(binary)
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
