import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@keelson/primitives'
import { npmScript } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'
import { devnetFilePath, removeDevnetFile } from '../prepare/devnet-file.ts'
import { assertNotRunning, removeEmptyFolders } from './instance-lock.ts'
import { waitUntil } from './wait-until.ts'

const READY_TIMEOUT_MS = 240_000

const isOther = (arg: string) => !/^--(no-)?detach(=|$)/.test(arg)

/** Returns the output up to the first screen. Throws DevnetError with the last lines. */
export async function startDetached(folder: string, args: readonly string[], clock: Clock): Promise<string> {
  assertNotRunning(folder)
  const made = mkdirSync(folder, { recursive: true })
  removeDevnetFile(folder)
  const output = join(folder, 'console.log')
  const file = openSync(output, 'w')
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', process.argv[1] as string, 'devnet', ...args.filter(isOther), '--no-detach'],
    {
      detached: true,
      stdio: ['ignore', file, file],
    },
  )
  child.unref()
  const ended = new AbortController()
  const printed = () => readFileSync(output, 'utf8')
  child.once('exit', (code, signal) =>
    ended.abort(new DevnetError('node/devnet', `the network ended (${signal ?? `exit code ${code}`}) before it was ready:\n${printed()}`)),
  )
  await waitUntil(async () => readyFile(folder), clock, {
    what: 'the network becoming ready',
    timeoutMs: READY_TIMEOUT_MS,
    intervalMs: 100,
    hint: printed,
    signal: ended.signal,
  }).catch((error: unknown) => {
    // The error quotes the file.
    if (ended.signal.aborted && made !== undefined) {
      rmSync(output)
      removeEmptyFolders(folder, made)
    }
    throw error
  })
  return `${printed()}\nIt runs in the background and prints to ${output}: ${npmScript('status', folder)}, ${npmScript('stop', folder)}.`
}

function readyFile(folder: string): true | null {
  try {
    JSON.parse(readFileSync(devnetFilePath(folder), 'utf8'))
    return true
  } catch {
    return null
  }
}
