/** One network per data directory: who runs it, and what an earlier run that was killed left behind. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@keelson/primitives'
import { DevnetError } from '../devnet-error.ts'

export interface Instance {
  readonly supervisorPid: number
  /** Where its ports are, so that `status` need not be told. */
  readonly host: string
  readonly portOffset: number
  /** Role name to process id. */
  readonly roles: Readonly<Record<string, number>>
  /** Roles that ended by themselves and are not started again, with the reason. */
  readonly stopped: Readonly<Record<string, string>>
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

/** What the last run wrote, whether it is still there or not; null when there is nothing to read. */
export function readInstance(folder: string): Instance | null {
  try {
    // one of an earlier version says nothing of roles that stopped
    return { stopped: {}, ...(JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Omit<Instance, 'stopped'>) }
  } catch {
    return null
  }
}

/** The network that runs on the folder now; null when none does, even if one was killed and its id given to another program. */
export function runningInstance(folder: string): Instance | null {
  const instance = readInstance(folder)
  return instance !== null && isAlive(instance.supervisorPid) && mentions(instance.supervisorPid, 'devnet') ? instance : null
}

/** Throws DevnetError `node/devnet` when another supervisor is alive on this directory. */
export function assertNotRunning(folder: string): void {
  const other = runningInstance(folder)
  if (other === null || other.supervisorPid === process.pid) return
  throw new DevnetError(
    'node/devnet',
    `a development network already runs on ${folder} (process ${other.supervisorPid}): use it, end it with "npm run stop", ` +
      'or start a second one with --data-dir and --port-offset of its own',
    { pid: other.supervisorPid },
  )
}

export interface InstanceLock {
  recordRole(role: string, pid: number): void
  recordStopped(role: string, reason: string): void
  release(): void
}

/** Throws DevnetError `node/devnet` when another supervisor is alive on this directory. */
export function acquireInstanceLock(folder: string, place: Pick<Instance, 'host' | 'portOffset'>): InstanceLock {
  assertNotRunning(folder)
  mkdirSync(folder, { recursive: true })
  const roles: Record<string, number> = {}
  const stopped: Record<string, string> = {}
  const file = join(folder, FILE)
  // whole or not at all: others read it while roles come and go
  const write = () => {
    writeFileSync(`${file}.partial`, JSON.stringify({ supervisorPid: process.pid, ...place, roles, stopped } satisfies Instance))
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
    release: () => rmSync(file, { force: true }),
  }
}

/** Roles end by themselves when their supervisor is gone; this is how long they get for it. */
const ORPHAN_GRACE_MS = 6_000
const POLL_MS = 50

/**
 * Waits for roles whose supervisor was killed, and ends those that stay. A process id may have been given
 * to somebody else since, so only a process whose command line names this directory is touched.
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
  // their ports are free only when they are gone
  await gone(ORPHAN_GRACE_MS)
  return stayed.map(([role, pid]) => `${role} (process ${pid})`)
}

/** Whether the process was started with `text` in its command line; false where that cannot be read. */
function mentions(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
  } catch {
    return process.platform !== 'linux' && isAlive(pid) && text === 'devnet'
  }
}
