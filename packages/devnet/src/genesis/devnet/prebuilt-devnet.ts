/** Genesis in config/networks/devnet, made by scripts/gen-devnet-genesis.ts for time 0. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { genesisToJson, loadGenesis } from '@keelson/chainspec'
import { bigintToBytes, bytesToBigint, formatQuantity, type GenesisAccount, toAddress, toHash } from '@keelson/primitives'
import { findProjectRoot } from '../contract-files.ts'
import { GenesisError } from '../genesis-error.ts'
import { type ParametersJson, parametersFromJson, parametersToJson } from '../parameters-json.ts'
import type { DevnetAddresses, DevnetGenesis } from './build-devnet-genesis.ts'
import { devnetL1ChainJson } from './devnet-config.ts'
import type { DevnetParameters } from './devnet-parameters.ts'

export const DEVNET_FILES = join('config', 'networks', 'devnet')
const L1_GENESIS = 'l1-genesis.json.gz'
const L2_GENESIS = 'l2-genesis.json.gz'
/** The first occurrence is the block's timestamp. */
const TIME_PLACEHOLDER = '"timestamp":"0x0"'

interface Summary {
  readonly parameters: ParametersJson
  readonly l2: Readonly<Record<string, unknown>>
  readonly l2StateRoot: string
  readonly messagePasserStorageRoot: string
  readonly timeSlot: { readonly address: string; readonly slot: number }
}

export function prebuiltFiles(genesis: DevnetGenesis): ReadonlyMap<string, Uint8Array> {
  const parameters = parametersToJson(genesis.parameters)
  const { l2StateRoot, messagePasserStorageRoot, timeSlot, addresses } = genesis
  const text = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
  const packed = (json: string) => new Uint8Array(gzipSync(json, { level: 9 }))
  const { alloc: _, ...l2 } = genesisToJson({ ...genesis.l2, accounts: [] })
  return new Map([
    ['devnet.json', text({ parameters, l2, l2StateRoot, messagePasserStorageRoot, timeSlot })],
    ['addresses.json', text(addresses)],
    ['l1-chain.json', text(devnetL1ChainJson(genesis.parameters))],
    [L1_GENESIS, packed(JSON.stringify(genesisToJson(genesis.l1)))],
    [L2_GENESIS, packed(genesis.l2Json())],
  ])
}

export function loadPrebuiltDevnet(genesisTimeSec: number, root: string = findProjectRoot()): DevnetGenesis {
  const folder = join(root, DEVNET_FILES)
  const summary = readJson(folder, 'devnet.json') as Summary
  const address = toAddress(summary.timeSlot.address)
  const timeSlot = { address, slot: summary.timeSlot.slot }
  const timestamp = formatQuantity(genesisTimeSec)
  const l1Json = JSON.parse(readPacked(folder, L1_GENESIS)) as Record<string, unknown>
  const l1 = loadGenesis({ ...l1Json, timestamp })
  const { accounts: _, ...l2 } = loadGenesis({ ...summary.l2, timestamp })
  return {
    parameters: parametersFromJson(summary.parameters) as DevnetParameters,
    l1: {
      ...l1,
      accounts: l1.accounts.map((account) => (account.address === address ? withTime(account, timeSlot.slot, genesisTimeSec) : account)),
    },
    l2,
    l2Json: () => readPacked(folder, L2_GENESIS).replace(TIME_PLACEHOLDER, `"timestamp":"${timestamp}"`),
    l2StateRoot: toHash(summary.l2StateRoot),
    messagePasserStorageRoot: toHash(summary.messagePasserStorageRoot),
    addresses: readJson(folder, 'addresses.json') as DevnetAddresses,
    timeSlot,
  }
}

/** The prebuilt account lacks this slot, because zero is not stored. */
function withTime(account: GenesisAccount, slot: number, timeSec: number): GenesisAccount {
  const others = account.storage.filter(([key]) => bytesToBigint(key) !== BigInt(slot))
  const entry = [bigintToBytes(BigInt(slot), 32), bigintToBytes(BigInt(timeSec), 32)] as const
  return { ...account, storage: [...others, entry] }
}

function readJson(folder: string, name: string): unknown {
  return JSON.parse(new TextDecoder().decode(readPrebuilt(folder, name)))
}

function readPacked(folder: string, name: string): string {
  return gunzipSync(readPrebuilt(folder, name)).toString()
}

function readPrebuilt(folder: string, name: string): Uint8Array {
  try {
    return readFileSync(join(folder, name))
  } catch (cause) {
    throw new GenesisError(
      'node/genesis-files',
      `cannot read ${join(folder, name)}; it belongs to the source tree: restore it with git`,
      {},
      { cause },
    )
  }
}
