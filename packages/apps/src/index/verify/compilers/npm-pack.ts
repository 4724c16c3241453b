/** npm fetches a package, with the registry, proxies and certificates that are configured for it on the machine. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const MAX_ERROR_LENGTH = 400

/** Returns the path of the tarball in `folder`. Rejects with an Error that says why, or the signal's reason. */
export async function packFromRegistry(name: string, version: string, folder: string, signal: AbortSignal): Promise<string> {
  const args = ['pack', `${name}@${version}`, '--pack-destination', folder, '--cache', join(folder, 'cache')]
  const child = spawn('npm', [...args, '--ignore-scripts', '--loglevel=error', '--no-update-notifier'], {
    cwd: folder,
    env: withoutSecrets(process.env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stop = () => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (said.length < MAX_ERROR_LENGTH) said += chunk.toString()
  })
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
    signal.throwIfAborted()
    if (code !== 0) throw new Error(`npm pack ${name}@${version} failed: ${said.slice(0, MAX_ERROR_LENGTH).trim() || `exit code ${code}`}`)
    return join(folder, `${name}-${version}.tgz`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The options of a role may hold passwords. */
function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('KEELSON_')))
}
