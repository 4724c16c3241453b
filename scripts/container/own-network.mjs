/** The namespace has only loopback, so the default ports are free. */
import { spawnSync } from 'node:child_process'

const MARK = 'KEELSON_OWN_NETWORK'

export const isInOwnNetwork = () => process.env[MARK] === '1'

export function runInOwnNetwork(args, env) {
  const script = 'ip link set lo up && exec "$0" "$@"'
  const { status, error } = spawnSync('unshare', ['--net', '--', 'sh', '-c', script, process.execPath, process.argv[1], ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env, [MARK]: '1' },
  })
  if (error !== undefined) throw new Error(`cannot start a network namespace: ${error.message}; unshare is part of util-linux`)
  return status ?? 1
}
