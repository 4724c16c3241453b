import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findLogDamage } from './log-damage.ts'

/** LevelDB begins another file long before. */
const MOST_BYTES = 256 * 1024 * 1024

/**
 * Reads all files of a closed database, so it is for small ones. Returns what is damaged, or null; also null without a database. The
 * end of a log that was cut off looks like a write that a crash interrupted, and is no damage.
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
    const damage = bytes === null ? null : await damageOf(name, bytes)
    if (damage !== null) return `${name}: ${damage}`
  }
  return null
}

async function damageOf(name: string, bytes: Uint8Array): Promise<string | null> {
  // Loaded here, because most programs have no use for the native library behind it.
  if (name.endsWith('.ldb')) return (await import('./table-damage.ts')).findTableDamage(bytes)
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
