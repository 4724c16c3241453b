import { basename, dirname } from 'node:path'

const NAME = 'keelson'

export function programName(script = process.argv[1] ?? ''): string {
  // npx finds programs in .bin, but the shell does not.
  const onPath = basename(script) === NAME && basename(dirname(script)) !== '.bin'
  return onPath ? NAME : `npx ${NAME}`
}

export function asCalled(command: string): string {
  return `${programName()} ${command}`
}
