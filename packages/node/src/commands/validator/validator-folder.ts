/** Where a validator's things are: its data directory with keys and slashing protection, and what its machine knows of keys. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { option, optionParsers as parse } from '@keelson/runtime'

export const validatorFolderOptions = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder of the validator: its keys and its slashing protection.' }),
} as const

export const jsonOption = option({
  key: 'json',
  parse: parse.toggle,
  default: false,
  description: 'Print the result as one JSON document.',
})

/**
 * Where this user's programs keep their state. Variables that are empty or name no absolute path count as not set: the
 * folder would be another one wherever a command is started, and locks between validators would hold no longer.
 */
export function machineFolder(env: Readonly<Record<string, string | undefined>>, home: () => string = homeOfUser): string {
  const stateHome = env.XDG_STATE_HOME ?? ''
  const folder = isAbsolute(stateHome) ? stateHome : join(isAbsolute(env.HOME ?? '') ? (env.HOME as string) : home(), '.local', 'state')
  return join(folder, 'keelson', 'validator-keys')
}

/** As the system knows it; the root for a user it does not know, where opening says what is to be given. */
function homeOfUser(): string {
  try {
    return [userInfo().homedir, homedir()].find(isAbsolute) ?? '/'
  } catch {
    return '/'
  }
}

/** The same for all folders of keys on a machine; whoever cannot write there gives another, and the machine knows less. */
export const machineFolderOption = option({
  key: 'validator.machineDir',
  flag: 'machine-dir',
  parse: parse.path,
  default: machineFolder(process.env),
  description: 'Folder in which this machine notes which keys are in use and up to which epoch they signed; one for all validators on it.',
})

export interface ValidatorFolder {
  readonly keys: string
  readonly protection: string
}

export function validatorFolder(dataDir: string): ValidatorFolder {
  return { keys: join(dataDir, 'keys'), protection: join(dataDir, 'protection') }
}

/** Lines for people, or the document for programs. */
export function printResult(json: boolean, document: unknown, lines: readonly string[]): void {
  console.log(json ? JSON.stringify(document, null, 2) : lines.join('\n'))
}
