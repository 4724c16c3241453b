/** The exact compiler version in package.json makes the bytes reproducible. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main } from 'assemblyscript/asc'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

export interface CompiledAssembly {
  readonly bytes: Uint8Array
  readonly text: string
}

/** `entry` is relative to the repository; the memory is imported as env.memory. */
export async function compileAssembly(entry: string, pages: number, options: readonly string[]): Promise<CompiledAssembly> {
  const outputs = new Map<string, Uint8Array | string>()
  const { error, stderr } = await main(
    [
      ...[entry, '--baseDir', ROOT, '--outFile', 'module.wasm', '--textFile', 'module.wat', '--runtime', 'stub', '-O3', '--converge'],
      ...[
        '--enable',
        'simd',
        '--enable',
        'bulk-memory',
        '--noAssert',
        '--use',
        'abort=',
        '--importMemory',
        '--initialMemory',
        `${pages}`,
        ...options,
      ],
    ],
    {
      readFile: (name, baseDir) => readIfPresent(join(baseDir ?? ROOT, name)),
      writeFile: (name, contents) => void outputs.set(name, contents as Uint8Array | string),
      listFiles: () => [],
    },
  )
  const bytes = outputs.get('module.wasm')
  if (error !== null || !(bytes instanceof Uint8Array)) throw new Error(`${entry} does not compile:\n${stderr.toString()}`)
  return { bytes, text: String(outputs.get('module.wat')) }
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
