/** Commands as people can paste them: how this program is called, and the options that make them act on the same network. */
import { basename, dirname, resolve } from 'node:path'

const NAME = 'keelson'
export const DEFAULT_DEVNET_FOLDER = '.keelson/devnet'
/** Roles of a development network find its folder here, because their own options do not name it. */
export const DEVNET_FOLDER_VARIABLE = 'KEELSON_OF_DEVNET'

export type NamedNetwork = { readonly devnet: string } | { readonly network: string }

type Flags = (network: NamedNetwork) => readonly string[]

const devnetFlag =
  (flag: string): Flags =>
  (of) =>
    'devnet' in of && resolve(of.devnet) !== resolve(DEFAULT_DEVNET_FOLDER) ? [flag, shellWord(of.devnet)] : []
/** URLs of nodes are left out, because they may hold keys. */
const bridgeFlags: Flags = (of) =>
  'network' in of ? ['--network', shellWord(of.network), '--l1.rpc', 'L1_URL', '--l2.rpc', 'L2_URL'] : devnetFlag('--devnet')(of)

const doctorFlags: Flags = (of) => ('network' in of ? ['--network', shellWord(of.network)] : devnetFlag('--devnet')(of))

/** By the beginning of a command; other commands do not look at a network by themselves. */
export const NETWORK_FLAGS: readonly (readonly [command: RegExp, flags: Flags])[] = [
  [/^devnet\b/, devnetFlag('--data-dir')],
  [/^bridge (deposit|withdraw|status|prove|finalize|force)\b/, bridgeFlags],
  [/^validator (status|register|stake|unstake|withdraw|claim|rejoin|fund-pool)\b/, devnetFlag('--devnet')],
  [/^status\b/, devnetFlag('--devnet')],
  [/^doctor\b/, doctorFlags],
]

let current: NamedNetwork | null = null

/** A process runs one command, so it has one network. Null forgets it. */
export function nameNetwork(network: NamedNetwork | null): void {
  current = network
}

export function programName(script = process.argv[1] ?? ''): string {
  // npx finds programs in .bin, but the shell does not.
  const onPath = basename(script) === NAME && basename(dirname(script)) !== '.bin'
  return onPath ? NAME : `npx ${NAME}`
}

/** `command` for the network that this process was called for, or for `network`. */
export function asCalled(command: string, network: NamedNetwork | null = current): string {
  return [programName(), command, ...networkFlags(command, network)].join(' ')
}

/** A script of package.json, for the development network in `folder`. */
export function npmScript(script: 'start' | 'status' | 'stop', folder: string): string {
  const flags = devnetFlag('--data-dir')({ devnet: folder })
  const name = script === 'start' ? 'npm start' : `npm run ${script}`
  return flags.length === 0 ? name : [name, '--', ...flags].join(' ')
}

function networkFlags(command: string, network: NamedNetwork | null): readonly string[] {
  const flags = NETWORK_FLAGS.find(([beginning]) => beginning.test(command))?.[1]
  return network === null || flags === undefined ? [] : flags(network)
}

/** As a shell reads it back. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
