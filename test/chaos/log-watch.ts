/** Finds log messages that no disturbance explains. */
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface LogWatch {
  readonly counts: Readonly<Record<string, { errors: number; warnings: number; resets: number }>>
  look(): void
}

const CHUNK_BYTES = 1024 * 1024
const NEVER =
  /heads-inconsistent|invariant|unhandled|uncaught|TypeError|RangeError|ReferenceError|corrupt|torn|block differs from L1|bad block|state root .*differs|heap out of memory/i

export function createLogWatch(folder: string, violation: (text: string) => void): LogWatch {
  const counts: Record<string, { errors: number; warnings: number; resets: number }> = {}
  const read = new Map<string, { inode: number; offset: number; rest: string }>()

  function take(role: string, line: string): void {
    if (NEVER.test(line)) violation(`${role} wrote: ${line.slice(0, 600)}`)
    if (!line.startsWith('{')) return
    counts[role] ??= { errors: 0, warnings: 0, resets: 0 }
    const count = counts[role]
    if (line.includes('"level":"error"')) count.errors++
    if (line.includes('"level":"warn"')) count.warnings++
    if (line.includes('"message":"derivation reset"')) count.resets++
  }

  function readOn(name: string): void {
    const path = join(folder, name)
    const { ino, size } = statSync(path)
    const known = read.get(name)
    // A rotated log's new file is read from its start.
    const state = known?.inode === ino ? known : { inode: ino, offset: 0, rest: '' }
    read.set(name, state)
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(CHUNK_BYTES)
      while (state.offset < size) {
        const bytes = readSync(file, buffer, 0, CHUNK_BYTES, state.offset)
        if (bytes === 0) break
        state.offset += bytes
        const lines = (state.rest + buffer.toString('utf8', 0, bytes)).split('\n')
        state.rest = lines.pop() ?? ''
        for (const line of lines) take(name.replace(/\.log$/, ''), line)
      }
    } finally {
      closeSync(file)
    }
  }

  return {
    counts,
    look() {
      for (const name of readdirSync(folder)) if (name.endsWith('.log')) readOn(name)
    },
  }
}
