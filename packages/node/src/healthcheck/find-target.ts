/** Does not load the roles' code, because container engines run the health check every few seconds. */
import { asCalled, type OptionDefinition, option, optionParsers as parse, parseFlags, resolveOptions } from '@keelson/runtime'
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
  l1: 7309,
}
export const BEACON_PORT = 7546
const BEACON_PATH = '/eth/v1/node/version'

type Environment = Readonly<Record<string, string | undefined>>

/** `words` omits the program's name. Throws AssemblyError `node/usage` for a command that is not a role, and OptionsError. */
export function findHealthTarget(words: readonly string[], env: Environment): HealthTarget {
  const [first = '', second = ''] = words
  const name = Object.hasOwn(HEALTH_PORTS, `${first} ${second}`) ? `${first} ${second}` : first
  const port = Object.hasOwn(HEALTH_PORTS, name) ? HEALTH_PORTS[name] : undefined
  if (port !== undefined) {
    const at = readPlace(words, env, { host: 'metrics.host', port: 'metrics.port', defaultPort: port })
    return { kind: 'report', url: `http://${at}/healthz` }
  }
  if (name === 'beacon') {
    const at = readPlace(words, env, { host: 'host', port: 'port', defaultPort: BEACON_PORT })
    return { kind: 'answer', url: `http://${at}${BEACON_PATH}` }
  }
  if (name === 'devnet' && (second === '' || second.startsWith('-'))) {
    const dataDir = option({ key: 'dataDir', parse: parse.path, default: '.keelson/devnet', description: 'Folder of the network.' })
    return { kind: 'network', folder: readOptions(words, env, { dataDir }).dataDir }
  }
  throw new AssemblyError(
    'node/usage',
    `expected the command line of a role that keeps running, got "${words.join(' ')}": ${asCalled('healthcheck')} -- execution --metrics.port 6060`,
  )
}

interface PlaceOptions {
  readonly host: string
  readonly port: string
  readonly defaultPort: number
}

function readPlace(words: readonly string[], env: Environment, { host, port, defaultPort }: PlaceOptions): string {
  const place = readOptions(words, env, {
    host: option({ key: host, parse: parse.text, default: '127.0.0.1', description: 'Address the port listens on.' }),
    port: option({ key: port, parse: parse.port, default: defaultPort, description: 'Port asked.' }),
  })
  return `${reachable(place.host)}:${place.port}`
}

function readOptions<S extends Readonly<Record<string, OptionDefinition<unknown>>>>(words: readonly string[], env: Environment, set: S) {
  const names = Object.values(set).map(({ flag }) => `--${flag}`)
  const ours = words.flatMap((word, index) => {
    if (names.includes(word)) return [word, words[index + 1] ?? '']
    return names.some((name) => word.startsWith(`${name}=`)) ? [word] : []
  })
  return resolveOptions(set, { env, flags: parseFlags(ours, set).flags }).values
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
