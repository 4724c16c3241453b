import { lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AssemblyError } from '../errors.ts'
import { controlSocketPath } from './control-socket.ts'

/**
 * Throws AssemblyError `node/control` unless only this user can write to the folder: another user could create it first and own
 * the socket.
 */
export async function assertOwnFolder(dataDir: string): Promise<void> {
  const folder = dirname(controlSocketPath(dataDir))
  if (folder === resolve(dataDir)) return
  const found = await lstat(folder).catch(() => null)
  if (found === null) return
  const isOwn = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o077) === 0
  if (isOwn) return
  throw new AssemblyError(
    'node/control',
    `${folder} must be a directory of this user with mode 700, because the control socket lies in it: remove it, or use a data directory with a shorter path`,
  )
}
