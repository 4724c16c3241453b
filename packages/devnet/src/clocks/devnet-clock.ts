import { existsSync, readFileSync } from 'node:fs'
import { DEFAULT_DEVNET_FOLDER, option, optionalOption, optionParsers as parse } from '@keelson/runtime'
import { DevnetError } from '../devnet-error.ts'
import { type DevnetFile, devnetFilePath } from '../prepare/devnet-file.ts'

export const devnetClockOptions = {
  devnet: option({
    key: 'validator.devnet',
    flag: 'devnet',
    parse: parse.path,
    default: DEFAULT_DEVNET_FOLDER,
    description: 'Folder of a running development network: its nodes are asked when none is given, and its clock counts for them.',
  }),
  clockOffsetMs: optionalOption({
    key: 'clock.offsetMs',
    parse: parse.integer(-Number.MAX_SAFE_INTEGER),
    description: 'Milliseconds added to the machine clock. Default: for a node of the network in --devnet its clockOffsetMs, else 0.',
  }),
} as const

export function findDevnetOf(folder: string, url: string): DevnetFile | null {
  const path = devnetFilePath(folder)
  if (!existsSync(path)) return null
  const facts = JSON.parse(readFileSync(path, 'utf8')) as DevnetFile
  const nodes = [facts.l2.rpcUrl, facts.validator.rpcUrl, ...(facts.standby === null ? [] : [facts.standby.rpcUrl])]
  return nodes.some((node) => place(node) === place(url)) ? facts : null
}

export interface OwnNodes {
  readonly l2Rpc: string
  readonly rollupRpc: string
}

/** Throws DevnetError `node/usage` if only one URL is given or no network runs in the folder. */
export function ownNodes({
  l2Rpc,
  rollupRpc,
  devnet,
}: { readonly [key in keyof OwnNodes]: string | null } & { readonly devnet: string }): OwnNodes {
  if (l2Rpc !== null && rollupRpc !== null) return { l2Rpc, rollupRpc }
  if (l2Rpc !== null || rollupRpc !== null)
    throw new DevnetError('node/usage', 'a validator asks two clients of its own: give --l2.rpc and --rollup.rpc, or neither and --devnet')
  const path = devnetFilePath(devnet)
  if (!existsSync(path))
    throw new DevnetError(
      'node/usage',
      `give --l2.rpc and --rollup.rpc, or --devnet FOLDER of a development network that runs: none does in ${devnet}`,
    )
  const { validator } = JSON.parse(readFileSync(path, 'utf8')) as DevnetFile
  return { l2Rpc: validator.rpcUrl, rollupRpc: validator.rollupRpcUrl }
}

export function clockOffsetFor(
  { clockOffsetMs, devnet }: { readonly clockOffsetMs: number | null; readonly devnet: string },
  url: string,
): number {
  return clockOffsetMs ?? findDevnetOf(devnet, url)?.clockOffsetMs ?? 0
}

function place(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}`
}
