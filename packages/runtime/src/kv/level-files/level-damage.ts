import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findLogDamage } from './log-damage.ts'
import { findTableDamage } from './table-damage.ts'

/** LevelDB begins another file long before. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Reads all files of a closed database, so it is for small ones. Returns what is damaged, or null; also null without a database. A
 * truncated end of the log cannot be told from a write that a crash cut short.
 */
export async function findLevelDamage(directory: string): Promise<string | null> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.sort()) {
    if (!/\.(log|ldb)$/.test(name)) continue
    const path = join(directory, name)
    const size = await present(stat(path).then((found) => found.size))
    if (size !== null && size > MOST_BYTES) return `${name} has ${size} bytes, at most ${MOST_BYTES} are expected`
    const bytes = await present(readFile(path))
    const damage = bytes === null ? null : damageOf(name, bytes)
    if (damage !== null) return `${name}: ${damage}`
  }
  return null
}

function damageOf(name: string, bytes: Uint8Array): string | null {
  if (name.endsWith('.ldb')) return findTableDamage(bytes)
  const at = findLogDamage(bytes)
  return at === null ? null : `it is damaged at byte ${at}, and newer records follow`
}

/** A program that has the database open may remove the file meanwhile. */
function present<T>(read: Promise<T>): Promise<T | null> {
  return read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}
