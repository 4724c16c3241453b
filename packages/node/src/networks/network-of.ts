import { resolve } from 'node:path'
import { DEVNET_FOLDER_VARIABLE, type NamedNetwork } from '@keelson/runtime'
import type { Command } from '../command.ts'

/** The network that a command acts on, for the commands that it prints. Roles of a development network inherit its folder. */
export function networkOf(
  { name }: Pick<Command, 'name'>,
  values: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv = process.env,
): NamedNetwork | null {
  if (/^devnet\b/.test(name) && typeof values.dataDir === 'string') {
    env[DEVNET_FOLDER_VARIABLE] = resolve(values.dataDir)
    return { devnet: values.dataDir }
  }
  if (/^bridge\b/.test(name) && typeof values.network === 'string') return { network: values.network }
  if (typeof values.devnet === 'string') return { devnet: values.devnet }
  const inherited = env[DEVNET_FOLDER_VARIABLE]
  return inherited === undefined ? null : { devnet: inherited }
}
