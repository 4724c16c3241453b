/** Formats commands in hints as the user can type them: an installed program by name, a checkout through npx. */
import { basename, dirname } from 'node:path'

const NAME = 'keelson'

/** How this program was called. `script` is process.argv[1]. */
export function programName(script = process.argv[1] ?? ''): string {
  // npm links a program into .bin, where npx finds it and the shell does not
  const onPath = basename(script) === NAME && basename(dirname(script)) !== '.bin'
  return onPath ? NAME : `npx ${NAME}`
}

/** Returns "npx keelson validator register" for "validator register" in a checkout. */
export function asCalled(command: string): string {
  return `${programName()} ${command}`
}
