/** Foundry without network access or a home folder. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)
export const SOLC_FOR_FORGE = join(import.meta.dirname, 'solc-for-forge.cjs')

export interface FoundryOptions {
  readonly cwd?: string
  readonly timeoutMs?: number
}

export async function foundry(
  program: 'cast' | 'forge',
  args: readonly string[],
  { cwd, timeoutMs = 240_000 }: FoundryOptions = {},
): Promise<string> {
  const inner = createRequire(require.resolve(`@foundry-rs/${program}/package.json`))
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const binary = join(dirname(inner.resolve(`@foundry-rs/${program}-${process.platform}-${arch}/package.json`)), 'bin', program)
  const env = { ...process.env, FOUNDRY_DISABLE_NIGHTLY_WARNING: '1', ...(cwd === undefined ? {} : { HOME: cwd }) }
  const { stdout } = await promisify(execFile)(binary, args, { timeout: timeoutMs, env, ...(cwd === undefined ? {} : { cwd }) })
  return stdout.trim()
}
