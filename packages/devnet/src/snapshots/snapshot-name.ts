import { DevnetError } from '../devnet-error.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws DevnetError `node/usage`: a name is a folder's name, and unfinished ones begin with a point. */
export function assertSnapshotName(name: unknown): asserts name is string {
  if (typeof name === 'string' && NAME.test(name)) return
  const shown = JSON.stringify(name)?.slice(0, 80)
  throw new DevnetError(
    'node/usage',
    `expected a name of at most 64 letters, digits, ".", "_" and "-", which begins with a letter or digit, got ${shown}`,
  )
}
