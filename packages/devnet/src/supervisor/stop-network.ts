import type { Clock } from '@keelson/primitives'
import { DevnetError } from '../devnet-error.ts'
import { isAlive, runningInstance } from './instance-lock.ts'
import { waitUntil } from './wait-until.ts'

const STOP_TIMEOUT_MS = 15_000

/** Returns a line to print. Throws DevnetError `node/devnet` after a timeout. */
export async function stopNetwork(folder: string, clock: Clock): Promise<string> {
  const instance = runningInstance(folder)
  if (instance === null) return `no development network runs on ${folder}: nothing to stop`
  const { supervisorPid } = instance
  const startedMs = clock.nowMs()
  try {
    process.kill(supervisorPid, 'SIGTERM')
  } catch (cause) {
    throw new DevnetError('node/devnet', `cannot signal process ${supervisorPid}: it belongs to another user`, {}, { cause })
  }
  await waitUntil(async () => (isAlive(supervisorPid) ? null : true), clock, {
    what: `the end of process ${supervisorPid}`,
    timeoutMs: STOP_TIMEOUT_MS,
    intervalMs: 50,
  })
  return `stopped in ${((clock.nowMs() - startedMs) / 1000).toFixed(1)} s; the next start continues the chain`
}
