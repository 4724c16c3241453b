/** What processes use, from /proc; Linux only. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface MeasuredRole {
  readonly name: string
  readonly pid: number
  /** Null for a role that keeps nothing. */
  readonly folder: string | null
}

export interface RoleUse {
  readonly cpuSec: number
  readonly residentBytes: number
  readonly diskBytes: number
}

const TICKS_PER_SEC = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))

export function useOf({ pid, folder }: MeasuredRole): RoleUse {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces; user and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    cpuSec: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC,
    residentBytes: Number(fields[21]) * PAGE_BYTES,
    diskBytes: folder === null ? 0 : sizeOf(folder),
  }
}

function sizeOf(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += sizeOf(path)
    // A database deletes tables while it runs.
    else bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}
