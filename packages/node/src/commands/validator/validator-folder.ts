import { join } from 'node:path'
import { option, optionParsers as parse } from '@keelson/runtime'
import { stateFolder } from '../../state-folder.ts'

export const validatorFolderOptions = {
  dataDir: option({ key: 'dataDir', parse: parse.path, description: 'Folder of the validator: its keys and its slashing protection.' }),
} as const

export const jsonOption = option({
  key: 'json',
  parse: parse.toggle,
  default: false,
  description: 'Print the result as one JSON document.',
})

export function machineFolder(env: Readonly<Record<string, string | undefined>>, home?: () => string): string {
  return join(stateFolder(env, home), 'validator-keys')
}

/** Validators must use the same folder to detect that they share a key. */
export const machineFolderOption = option({
  key: 'validator.machineDir',
  flag: 'machine-dir',
  parse: parse.path,
  default: machineFolder(process.env),
  defaultText: '~/.local/state/keelson/validator-keys',
  description: 'Folder in which this machine notes which keys are in use and up to which epoch they signed; one for all validators on it.',
})

export interface ValidatorFolder {
  readonly keys: string
  readonly protection: string
}

export function validatorFolder(dataDir: string): ValidatorFolder {
  return { keys: join(dataDir, 'keys'), protection: join(dataDir, 'protection') }
}

export function printResult(json: boolean, document: unknown, lines: readonly string[]): void {
  console.log(json ? JSON.stringify(document, null, 2) : lines.join('\n'))
}
