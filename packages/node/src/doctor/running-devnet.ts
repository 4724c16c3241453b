/** Finds the running development network of a folder. */
import { existsSync, readFileSync } from 'node:fs'
import { type DevnetFile, devnetFilePath, readInstance, runningInstance } from '@keelson/devnet'
import { asCalled, DEFAULT_DEVNET_FOLDER, npmScript, optionParsers as parse } from '@keelson/runtime'
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

/** Throws AssemblyError `node/usage` when none runs, `node/starting` when it is not ready yet. */
export function openDevnet(folder: string): RunningDevnet {
  const facts = readReadyDevnet(folder, 'or name its folder with --devnet FOLDER')
  const instance = readInstance(folder)
  if (instance === null) throw noDevnet(folder, 'or name its folder with --devnet FOLDER')
  return { facts, host: instance.host, portOffset: instance.portOffset }
}

/** `otherwise` says what else a command accepts. Throws AssemblyError `node/usage`, `node/starting`. */
export function readReadyDevnet(folder: string, otherwise: string): DevnetFile {
  const path = devnetFilePath(folder)
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as DevnetFile
  if (runningInstance(folder) === null) throw noDevnet(folder, otherwise)
  const look = asCalled('devnet status', { devnet: folder })
  throw new AssemblyError(
    'node/starting',
    `the development network in ${folder} is starting: run this again in a moment; ${look} shows what it waits for`,
  )
}

function noDevnet(folder: string, otherwise: string): AssemblyError {
  return new AssemblyError(
    'node/usage',
    `no development network runs in ${folder}: start it with ${npmScript('start', folder)}, ${otherwise}`,
  )
}
