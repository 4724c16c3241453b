/** A file system in memory, which only root can mount. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

const SIZE = '96m'

export interface SmallDisk {
  readonly folder: string
  remove(): void
}

/** A text says why there is none. */
export function mountSmallDisk(folder: string): SmallDisk | string {
  mkdirSync(folder, { recursive: true })
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) return error?.message ?? stderr.trim()
  return { folder, remove: () => void spawnSync('umount', [folder]) }
}
