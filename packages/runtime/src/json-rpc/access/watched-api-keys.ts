/** An invalid file keeps the previous keys. */
import { readFile } from 'node:fs/promises'
import type { Clock, Logger } from '@keelson/primitives'
import { pollLoop } from '../../async/poll-loop.ts'
import { RuntimeError } from '../../runtime-error.ts'
import type { Service } from '../../service.ts'
import { type ApiKeys, decodeApiKeys } from './api-keys.ts'

export interface WatchedApiKeys extends Service {
  readonly current: ApiKeys
  refresh(): Promise<void>
}

export const KEYS_FILE_INTERVAL_MS = 5_000

/** Throws RuntimeError `runtime/api-keys`. */
export async function openApiKeys(path: string, { clock, log }: { readonly clock: Clock; readonly log: Logger }): Promise<WatchedApiKeys> {
  let text = await read(path)
  let current = decode(text, path)
  let failing = false
  let watching: Promise<void> = Promise.resolve()

  const refresh = async () => {
    try {
      const latest = await read(path)
      if (latest === text && !failing) return
      const before = text
      text = latest
      current = decode(latest, path)
      failing = false
      if (latest !== before) log.info('reloaded the keys file', { path, keys: current.count, tiers: Object.keys(current.tiers).length })
    } catch (error) {
      if (!failing) log.error('the changed keys file cannot be used: the previous keys remain in force', { path, error })
      failing = true
    }
  }

  return {
    name: 'API keys',
    get current() {
      return current
    },
    refresh,
    async start(signal) {
      watching = pollLoop(refresh, { clock, signal, intervalMs: KEYS_FILE_INTERVAL_MS, waitFirst: true })
    },
    stop: () => watching,
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new RuntimeError(
      'runtime/api-keys',
      `the keys file ${path} cannot be read: ${(error as Error).message}`,
      { path },
      { cause: error },
    )
  }
}

function decode(text: string, path: string): ApiKeys {
  const decoded = decodeApiKeys(text)
  if (decoded.ok) return decoded.keys
  const { mistakes } = decoded
  const [first] = mistakes
  throw new RuntimeError(
    'runtime/api-keys',
    mistakes.length === 1 ? `${path}: ${first}` : `${path} has ${mistakes.length} mistakes:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    { path },
  )
}
