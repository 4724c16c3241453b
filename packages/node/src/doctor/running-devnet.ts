/** Finds the running development network of a folder. */
import { existsSync, readFileSync } from 'node:fs'
import { DEFAULT_DEVNET_FOLDER, type DevnetFile, devnetFilePath, readInstance } from '@keelson/devnet'
import { optionParsers as parse } from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'

/** An option without a value is the usual folder. */
export const devnetFolder = Object.assign((value: unknown): string => parse.path(value === true ? DEFAULT_DEVNET_FOLDER : value), {
  placeholder: '[folder]',
  schema: parse.path.schema,
})

export interface RunningDevnet {
  readonly facts: DevnetFile
  readonly host: string
  readonly portOffset: number
}

/** Throws AssemblyError `node/usage` when none runs. */
export function openDevnet(folder: string): RunningDevnet {
  const [path, instance] = [devnetFilePath(folder), readInstance(folder)]
  if (instance === null || !existsSync(path)) {
    throw new AssemblyError(
      'node/usage',
      `no development network runs in ${folder}: start it with npm start, or name its folder with --devnet FOLDER`,
    )
  }
  return { facts: JSON.parse(readFileSync(path, 'utf8')) as DevnetFile, host: instance.host, portOffset: instance.portOffset }
}
