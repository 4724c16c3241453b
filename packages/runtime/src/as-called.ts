/** Commands in hints, as the user can type them: an installed program by its own name, one of a checkout through npx. */
import { basename, dirname } from 'node:path'

const NAME = 'keelson'

/** How this program was called. `script` is process.argv[1]. */
export function programName(script = process.argv[1] ?? ''): string {
  // npm links a program into .bin, where npx finds it and the shell does not
  const onPath = basename(script) === NAME && basename(dirname(script)) !== '.bin'
  return onPath ? NAME : `npx ${NAME}`
}

/** "npx keelson validator register" of "validator register". */
export function asCalled(command: string): string {
  return `${programName()} ${command}`
}
