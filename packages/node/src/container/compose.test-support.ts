import { join } from 'node:path'
import { findProjectRoot } from '@keelson/devnet/genesis'
import { type OptionSet, parseFlags, readSecretFiles, resolveOptions } from '@keelson/runtime'
import { type Command, findSubcommand, isCommandGroup } from '../command.ts'
import { COMMANDS } from '../commands/all-commands.ts'

export const ROOT = findProjectRoot()

export interface Service {
  readonly image: string
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes: readonly string[]
  readonly restart: string
  readonly init: boolean
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly mem_limit: string
  readonly pids_limit: number
  readonly stop_grace_period: string
  readonly logging: { readonly driver: string; readonly options: Readonly<Record<string, string>> }
  readonly build?: { readonly args: Readonly<Record<string, string>> }
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>
}

type Environment = Readonly<Record<string, string>>

/** Resolves variables as `npm run test:container` does. */
export async function readCompose(path: string, env: Environment): Promise<ComposeFile> {
  const script = join(ROOT, 'scripts', 'container', 'compose-file.mjs')
  const { readCompose: read } = (await import(script)) as { readCompose(path: string, env: Environment): ComposeFile }
  return read(join(ROOT, path), env)
}

/** Throws the OptionsError that the role would throw. Treats secret files as present. */
export async function readService({ command, environment = {} }: Service) {
  const [name = '', ...words] = command
  const loaded = await (COMMANDS[name] as NonNullable<(typeof COMMANDS)[string]>)()
  const found = isCommandGroup(loaded) ? await findSubcommand(loaded, words) : { command: loaded, rest: words }
  if ('help' in found) throw new Error(`${command.join(' ')} asks for help`)
  const role = found.command as Command<OptionSet>
  const { flags, positional } = parseFlags(found.rest, role.options)
  const env = readSecretFiles(role.options, environment, () => '11'.repeat(32))
  return { role, positional, values: resolveOptions(role.options, { flags, env }).values as Readonly<Record<string, unknown>> }
}

export function publishedPort(text: string): { readonly address: string; readonly port: number } {
  const parts = text.replace(/\/(tcp|udp)$/, '').split(':')
  return { address: parts.length === 3 ? (parts[0] as string) : '0.0.0.0', port: Number(parts.at(-1)) }
}
