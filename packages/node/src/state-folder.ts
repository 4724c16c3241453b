/** The folder for this user's state that belongs to the machine and not to a data directory. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Returns `$XDG_STATE_HOME/keelson`, by default `~/.local/state/keelson`. Empty variables and relative paths count as not set:
 * with a relative path the folder would depend on the working directory, and locks between processes would not work.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string = homeOfUser): string {
  const stateHome = env.XDG_STATE_HOME ?? ''
  const folder = isAbsolute(stateHome) ? stateHome : join(isAbsolute(env.HOME ?? '') ? (env.HOME as string) : home(), '.local', 'state')
  return join(folder, 'keelson')
}

/** Home according to the system; the root for a user without an entry, where opening the folder fails and the error names it. */
function homeOfUser(): string {
  try {
    return [userInfo().homedir, homedir()].find(isAbsolute) ?? '/'
  } catch {
    return '/'
  }
}
