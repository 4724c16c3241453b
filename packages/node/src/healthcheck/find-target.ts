/** Does not load the roles' code, because container engines run the health check every few seconds. */
import {
  asCalled,
  type OptionDefinition,
  type OptionFile,
  option,
  optionParsers as parse,
  parseFlags,
  resolveOptions,
} from '@keelson/runtime'
import { AssemblyError } from '../errors.ts'

export type HealthTarget =
  | { readonly kind: 'report'; readonly url: string }
  /** Healthy if the URL answers with status 200. */
  | { readonly kind: 'answer'; readonly url: string }
  | { readonly kind: 'network'; readonly folder: string }

/** Default ports; a test compares them with the roles' options. */
export const HEALTH_PORTS: Readonly<Record<string, number>> = {
  execution: 6060,
  consensus: 7300,
  batcher: 7301,
  proposer: 7302,
  conductor: 7303,
  'faucet serve': 7304,
  'bridge serve': 7305,
  'validator run': 7306,
  'validator watch': 7307,
  platform: 7308,
  index: 7309,
  web: 7310,
  l1: 7313,
  'rpc-router': 7314,
}
export const BEACON_PORT = 7546
const BEACON_PATH = '/eth/v1/node/version'

type Environment = Readonly<Record<string, string | undefined>>

export function roleOf([first = '', second = '']: readonly string[]): string {
  return Object.hasOwn(HEALTH_PORTS, `${first} ${second}`) ? `${first} ${second}` : first
}

/**
 * `words` omits the program's name; `files` are the role's sections of its configuration files. Throws AssemblyError `node/usage` for a
 * command that is not a role, and OptionsError.
 */
export function findHealthTarget(words: readonly string[], env: Environment, files: readonly OptionFile[] = []): HealthTarget {
  const [, second = ''] = words
  const name = roleOf(words)
  const port = Object.hasOwn(HEALTH_PORTS, name) ? HEALTH_PORTS[name] : undefined
  if (port !== undefined) {
    const at = readPlace({ words, env, files }, { host: 'metrics.host', port: 'metrics.port', defaultPort: port })
    return { kind: 'report', url: `http://${at}/healthz` }
  }
  if (name === 'beacon') {
    const at = readPlace({ words, env, files }, { host: 'host', port: 'port', defaultPort: BEACON_PORT })
    return { kind: 'answer', url: `http://${at}${BEACON_PATH}` }
  }
  if (name === 'devnet' && (second === '' || second.startsWith('-'))) {
    const dataDir = option({ key: 'dataDir', parse: parse.path, default: '.keelson/devnet', description: 'Folder of the network.' })
    return { kind: 'network', folder: readOptions({ words, env, files }, { dataDir }).dataDir }
  }
  throw new AssemblyError(
    'node/usage',
    `expected the command line of a role that keeps running, got "${words.join(' ')}": ${asCalled('healthcheck')} -- execution --metrics.port 6060`,
  )
}

interface Given {
  readonly words: readonly string[]
  readonly env: Environment
  readonly files: readonly OptionFile[]
}

interface PlaceOptions {
  readonly host: string
  readonly port: string
  readonly defaultPort: number
}

function readPlace(given: Given, { host, port, defaultPort }: PlaceOptions): string {
  const place = readOptions(given, {
    host: option({ key: host, parse: parse.text, default: '127.0.0.1', description: 'Address the port listens on.' }),
    port: option({ key: port, parse: parse.port, default: defaultPort, description: 'Port asked.' }),
  })
  return `${reachable(place.host)}:${place.port}`
}

function readOptions<S extends Readonly<Record<string, OptionDefinition<unknown>>>>({ words, env, files }: Given, set: S) {
  const keys = new Set(Object.values(set).map(({ key }) => key))
  const ourFiles = files.map(({ path, values }) => ({
    path,
    values: Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key))),
  }))
  const names = Object.values(set).map(({ flag }) => `--${flag}`)
  const ours = words.flatMap((word, index) => {
    if (names.includes(word)) return [word, words[index + 1] ?? '']
    return names.some((name) => word.startsWith(`${name}=`)) ? [word] : []
  })
  return resolveOptions(set, { env, files: ourFiles, flags: parseFlags(ours, set).flags }).values
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns the words after the program, even behind an init process. */
export function keelsonWords(processArguments: readonly string[]): readonly string[] | null {
  const at = processArguments.findIndex((argument) => /(^|\/)keelson(\.js)?$/.test(argument))
  return at === -1 ? null : processArguments.slice(at + 1)
}
