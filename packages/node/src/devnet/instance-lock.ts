/** One network per data directory: who runs it, and what an earlier run that was killed left behind. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AssemblyError } from '../errors.ts'

export interface Instance {
  readonly supervisorPid: number
  /** Role name to process id. */
  readonly roles: Readonly<Record<string, number>>
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

/** Null when the directory has never been used or its file is unreadable. */
export function readInstance(folder: string): Instance | null {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Instance
  } catch {
    return null
  }
}

export interface InstanceLock {
  recordRole(role: string, pid: number): void
  release(): void
}

/** Throws AssemblyError `node/devnet` when another supervisor is alive on this directory. */
export function acquireInstanceLock(folder: string): InstanceLock {
  mkdirSync(folder, { recursive: true })
  const other = readInstance(folder)
  if (other !== null && other.supervisorPid !== process.pid && isAlive(other.supervisorPid) && mentions(other.supervisorPid, 'devnet')) {
    throw new AssemblyError(
      'node/devnet',
      `a development network already runs on ${folder} (process ${other.supervisorPid}): use it, or end it with "npm run stop"`,
      { pid: other.supervisorPid },
    )
  }
  const roles: Record<string, number> = {}
  const file = join(folder, FILE)
  const write = () => writeFileSync(file, JSON.stringify({ supervisorPid: process.pid, roles } satisfies Instance))
  write()
  return {
    recordRole(role, pid) {
      roles[role] = pid
      write()
    },
    release: () => rmSync(file, { force: true }),
  }
}

/**
 * Ends roles of a supervisor that was killed and could not end them itself. A process id may have been
 * given to somebody else since, so only a process whose command line names this directory is touched.
 */
export function endOrphans(folder: string, orphaned: Instance | null): readonly string[] {
  const ended: string[] = []
  for (const [role, pid] of Object.entries(orphaned?.roles ?? {})) {
    if (!isAlive(pid) || !mentions(pid, folder)) continue
    process.kill(pid, 'SIGKILL')
    ended.push(`${role} (process ${pid})`)
  }
  return ended
}

/** Whether the process was started with `text` in its command line; false where that cannot be read. */
function mentions(pid: number, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
  } catch {
    return process.platform !== 'linux' && isAlive(pid) && text === 'devnet'
  }
}
