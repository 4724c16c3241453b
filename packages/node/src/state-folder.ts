/** Where this user's programs keep state that belongs to the machine and to no data directory. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * `$XDG_STATE_HOME/keelson`, by default `~/.local/state/keelson`. Variables that are empty or name no absolute path count as
 * not set: the folder would depend on where a command is started, and locks between processes would no longer hold.
 */
export function stateFolder(env: Readonly<Record<string, string | undefined>>, home: () => string = homeOfUser): string {
  const stateHome = env.XDG_STATE_HOME ?? ''
  const folder = isAbsolute(stateHome) ? stateHome : join(isAbsolute(env.HOME ?? '') ? (env.HOME as string) : home(), '.local', 'state')
  return join(folder, 'keelson')
}

/** As the system knows it; the root for a user without an entry, where opening the folder fails with a message that names it. */
function homeOfUser(): string {
  try {
    return [userInfo().homedir, homedir()].find(isAbsolute) ?? '/'
  } catch {
    return '/'
  }
}
