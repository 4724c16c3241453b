/** Ensures one network per data directory. */

import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Clock } from '@keelson/primitives'
import { npmScript } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'

export interface Instance {
  readonly supervisorPid: number
  readonly host: string
  readonly portOffset: number
  readonly roles: Readonly<Record<string, number>>
  readonly stopped: Readonly<Record<string, string>>
  /** How often each role was started again since the network began. */
  readonly restarts: Readonly<Record<string, number>>
}

const FILE = 'supervisor.json'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export function readInstance(folder: string): Instance | null {
  try {
    const read = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Omit<Instance, 'stopped' | 'restarts'>
    return { stopped: {}, restarts: {}, ...read }
  } catch {
    return null
  }
}

/** Returns null if another program has reused the process ID. */
export function runningInstance(folder: string): Instance | null {
  const instance = readInstance(folder)
  return instance !== null && isAlive(instance.supervisorPid) && mentions(instance.supervisorPid, 'devnet') ? instance : null
}

export function assertNotRunning(folder: string): void {
  const other = runningInstance(folder)
  if (other === null || other.supervisorPid === process.pid) return
  throw new DevnetError(
    'node/devnet',
    `a development network already runs on ${folder} (process ${other.supervisorPid}, keelson devnet): use it, end it with "${npmScript('stop', folder)}", ` +
      'or start a second one with --data-dir and --port-offset of its own',
    { pid: other.supervisorPid },
  )
}

export interface InstanceLock {
  recordRole(role: string, pid: number): void
  recordStopped(role: string, reason: string): void
  recordRestart(role: string): void
  release(): void
}

/** Throws DevnetError `node/devnet` if another supervisor runs on this directory. */
export function acquireInstanceLock(folder: string, place: Pick<Instance, 'host' | 'portOffset'>): InstanceLock {
  assertNotRunning(folder)
  const made = mkdirSync(folder, { recursive: true })
  const roles: Record<string, number> = {}
  const stopped: Record<string, string> = {}
  const restarts: Record<string, number> = {}
  const file = join(folder, FILE)
  const write = () => {
    writeFileSync(`${file}.partial`, JSON.stringify({ supervisorPid: process.pid, ...place, roles, stopped, restarts } satisfies Instance))
    renameSync(`${file}.partial`, file)
  }
  write()
  return {
    recordRole(role, pid) {
      roles[role] = pid
      delete stopped[role]
      write()
    },
    recordStopped(role, reason) {
      delete roles[role]
      stopped[role] = reason
      write()
    },
    recordRestart(role) {
      restarts[role] = (restarts[role] ?? 0) + 1
      write()
    },
    release() {
      rmSync(file, { force: true })
      if (made !== undefined) removeEmptyFolders(folder, made)
    },
  }
}

/** Removes `folder` and those above it up to `top`, as far as they are empty: a start that failed leaves none behind. */
export function removeEmptyFolders(folder: string, top: string): void {
  for (let at = resolve(folder); at.startsWith(resolve(top)); at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch {
      return
    }
  }
}

const ORPHAN_GRACE_MS = 6_000
const POLL_MS = 50

/**
 * Waits for roles whose supervisor was killed, then kills those still running. Process IDs may be reused, so a role's command
 * line must name this directory.
 */
export async function endOrphans(folder: string, orphaned: Instance | null, clock: Clock): Promise<readonly string[]> {
  const left = () => Object.entries(orphaned?.roles ?? {}).filter(([, pid]) => isAlive(pid) && mentions(pid, folder))
  const gone = async (withinMs: number) => {
    const deadlineMs = clock.nowMs() + withinMs
    while (left().length > 0 && clock.nowMs() < deadlineMs) await clock.sleep(POLL_MS)
  }
  await gone(ORPHAN_GRACE_MS)
  const stayed = left()
  for (const [, pid] of stayed) process.kill(pid, 'SIGKILL')
  await gone(ORPHAN_GRACE_MS)
  return stayed.map(([role, pid]) => `${role} (process ${pid})`)
}

function mentions(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
  } catch {
    return process.platform !== 'linux' && isAlive(pid) && text === 'devnet'
  }
}
