import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * `$XDG_STATE_HOME/keelson`, by default `~/.local/state/keelson`. Ignores relative paths, because locks between processes must
 * not depend on the working directory.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string = homeOfUser): string {
  const stateHome = env.XDG_STATE_HOME ?? ''
  const folder = isAbsolute(stateHome) ? stateHome : join(isAbsolute(env.HOME ?? '') ? (env.HOME as string) : home(), '.local', 'state')
  return join(folder, 'keelson')
}

/** Falls back to the root, so that the error names the folder. */
function homeOfUser(): string {
  try {
    return [userInfo().homedir, homedir()].find(isAbsolute) ?? '/'
  } catch {
    return '/'
  }
}
