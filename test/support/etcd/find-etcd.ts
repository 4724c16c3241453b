import { spawnSync } from 'node:child_process'

export interface InstalledEtcd {
  readonly version: string
}

/** Null if no etcd is on the PATH. */
export function findEtcd(): InstalledEtcd | null {
  const { status, stdout } = spawnSync('etcd', ['--version'], { encoding: 'utf8' })
  if (status !== 0) return null
  return { version: `etcd ${/etcd Version: (\S+)/.exec(stdout)?.[1] ?? ''}`.trim() }
}
