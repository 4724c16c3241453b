import { readFileSync } from 'node:fs'
import { copyFile, mkdir, open, rename, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DevnetError } from '../devnet-error.ts'
import type { RoleSpec } from '../supervisor/role-process.ts'

export interface AnvilOptions {
  readonly host: string
  readonly port: number
  readonly genesisArguments: readonly string[]
  readonly folder: string
  readonly genesisState: string
}

const STATE_INTERVAL_SEC = 10
/** States in the dump, about 0.5 MB each; a reorg can go back this far after a restart. */
const KEPT_STATES = 32
const SLOTS_IN_AN_EPOCH = 4
const DUMPS = ['state.json', 'state.whole.json', 'state.older.json'] as const

/** Throws DevnetError `node/devnet` if anvil has no build for this platform. */
export function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const platformPackage = `@foundry-rs/anvil-${process.platform}-${arch}/package.json`
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'))
    return join(dirname(require.resolve(platformPackage)), 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    throw new DevnetError(
      'node/devnet',
      `anvil has no build for ${process.platform}-${process.arch}: run the roles by themselves against an L1 of your own, as the README shows`,
      {},
      { cause },
    )
  }
}

function isWholeDump(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

/** Restores the newest complete dump. Returns its name, or null for a new chain. */
export async function restoreAnvilDump(folder: string, genesisState: string): Promise<string | null> {
  const [live, ...copies] = DUMPS
  await mkdir(folder, { recursive: true })
  if (isWholeDump(join(folder, live))) return live
  for (const copy of copies) {
    if (!isWholeDump(join(folder, copy))) continue
    await copyFile(join(folder, copy), join(folder, live))
    return copy
  }
  await copyFile(genesisState, join(folder, live))
  return null
}

export async function copyAnvilDumpAside(folder: string): Promise<void> {
  const [live, whole, older] = DUMPS.map((name) => join(folder, name)) as [string, string, string]
  const before = await stat(live).catch(() => null)
  const copied = await stat(whole).catch(() => null)
  if (before === null || (copied !== null && copied.mtimeMs >= before.mtimeMs)) return
  const partial = `${whole}.partial`
  await copyFile(live, partial)
  const after = await stat(live).catch(() => null)
  if (after?.mtimeMs !== before.mtimeMs || after.size !== before.size || !(await endsWhole(partial))) return
  await rename(whole, older).catch(() => undefined)
  await rename(partial, whole)
}

/** A complete dump ends with the JSON object's brace. */
async function endsWhole(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
    return bytesRead === 1 && buffer.toString() === '}'
  } finally {
    await file.close()
  }
}

export function anvilRole(options: AnvilOptions): RoleSpec {
  return {
    name: 'l1',
    command: anvilBinary(),
    args: [
      ...['--host', options.host, '--port', String(options.port), ...options.genesisArguments],
      ...['--no-mining', '--slots-in-an-epoch', String(SLOTS_IN_AN_EPOCH)],
      ...['--state', join(options.folder, DUMPS[0]), '--state-interval', String(STATE_INTERVAL_SEC)],
      ...['--cache-path', join(options.folder, 'cache'), '--quiet'],
      ...['--preserve-historical-states', '--prune-history', String(KEPT_STATES)],
    ],
    stopSignal: 'SIGINT',
    beforeRestart: () => restoreAnvilDump(options.folder, options.genesisState),
  }
}
