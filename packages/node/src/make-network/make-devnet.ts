import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareNetwork } from '@keelson/devnet'
import { anvilGenesisArguments, DEV_ROLES, l1GenesisHash, l2GenesisHash } from '@keelson/devnet/genesis'
import type { EvmEngine } from '@keelson/evm'
import type { Hash } from '@keelson/primitives'
import { NETWORK_FILE } from './network-inputs.ts'
import { L1_BEACON, L1_RPC, nextSteps, type Step } from './next-steps.ts'
import { openDraft } from './write-network.ts'

export interface DevnetInputs {
  readonly currencySymbol: string
  readonly genesisTimeSec: number
}

export interface MadeDevnet {
  readonly l1ChainId: bigint
  readonly l2ChainId: bigint
  readonly l1GenesisHash: Hash
  readonly l2GenesisHash: Hash
  readonly minimumStakeWei: bigint
  readonly steps: readonly Step[]
  readonly l1Lines: readonly string[]
}

const VERSION = 1

/** Null for a document of another kind. */
export function devnetInputsFromJson(json: unknown): DevnetInputs | null {
  const root = (json ?? {}) as Readonly<Record<string, unknown>>
  const { currencySymbol, genesisTimeSec } = root
  if (root.preset !== 'devnet' || root.version !== VERSION || root.l1 !== undefined) return null
  if (typeof currencySymbol !== 'string' || !Number.isSafeInteger(genesisTimeSec) || (genesisTimeSec as number) < 0) return null
  return { currencySymbol, genesisTimeSec: genesisTimeSec as number }
}

/** Throws AssemblyError `node/usage` unless the folder is new. */
export async function makeDevnet(folder: string, inputs: DevnetInputs, engine: () => EvmEngine): Promise<MadeDevnet> {
  const draft = openDraft(folder)
  const { currencySymbol, genesisTimeSec } = inputs
  const choice = { fork: null, l1Fork: null, symbol: currencySymbol, allowSameChainId: false }
  const genesis = await prepareNetwork(draft.folder, choice, genesisTimeSec * 1000, engine)
  const record = { version: VERSION, preset: 'devnet', ...inputs }
  writeFileSync(join(draft.folder, NETWORK_FILE), `${JSON.stringify(record, null, 2)}\n`)
  draft.publish()
  const { parameters, addresses } = genesis
  const anvil = [...anvilGenesisArguments(genesis), '--block-time', String(parameters.l1BlockTimeSec), '--slots-in-an-epoch', '4']
  return {
    l1ChainId: parameters.l1ChainId,
    l2ChainId: parameters.l2ChainId,
    l1GenesisHash: l1GenesisHash(genesis),
    l2GenesisHash: l2GenesisHash(genesis),
    minimumStakeWei: parameters.staking.minimumStakeWei,
    steps: nextSteps({
      network: folder,
      outputOracle: addresses.L2OutputOracle,
      keyOf: (role) => ({ key: DEV_ROLES[role].privateKey }),
      allowSameChainId: false,
    }),
    l1Lines: [
      `mkdir -p data && cp ${join(folder, 'anvil-genesis-state.json')} data/l1-state.json`,
      `npx anvil --port 7545 ${anvil.join(' ')} --state data/l1-state.json --quiet`,
      'npx keelson beacon --l1.rpc $L1_RPC --port 7546 --data-dir data/beacon',
      `export L1_RPC=http://127.0.0.1:7545 L1_BEACON=http://127.0.0.1:7546   # in every terminal, for ${L1_RPC} and ${L1_BEACON}`,
    ],
  }
}
