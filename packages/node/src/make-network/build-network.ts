/** Equal inputs give equal files. */
import { genesisToJson, l1ChainConfigToJson, rollupConfigToJson } from '@keelson/chainspec'
import { OWN_CONTRACTS } from '@keelson/contracts'
import { buildL2Genesis, type ContractFiles, l2GenesisHash, l2GenesisHeader, networkRollupConfig } from '@keelson/devnet/genesis'
import { KEELSON_FILE, type KeelsonFile } from '@keelson/devnet/network-files'
import type { EvmEngine } from '@keelson/evm'
import { bytesToHex, encodeHeader, type Hash } from '@keelson/primitives'
import { L1_CONTRACTS, NETWORK_FILE, type NetworkInputs, networkInputsToJson } from './network-inputs.ts'

export interface BuiltNetwork {
  readonly files: ReadonlyMap<string, string>
  readonly l2GenesisHash: Hash
}

export async function buildNetwork(
  inputs: NetworkInputs,
  { engine, contracts }: { readonly engine: EvmEngine; readonly contracts: ContractFiles },
): Promise<BuiltNetwork> {
  const { parameters, l1, currencySymbol } = inputs
  const genesisTimeSec = l1.start.timestampSec
  const built = await buildL2Genesis({ engine, contracts, parameters, genesisTimeSec, l1: l1.addresses })
  const first = {
    parameters,
    addresses: l1.addresses,
    l2: built.head,
    l2StateRoot: built.stateRoot,
    messagePasserStorageRoot: built.messagePasserStorageRoot,
  }
  const { number, hash } = l1.start
  const rollup = networkRollupConfig(first, { number, hash })
  const onL1 = Object.fromEntries(L1_CONTRACTS.map((name) => [name, l1.addresses[name]]))
  const keelson: KeelsonFile = {
    currencySymbol,
    fork: parameters.fork,
    genesisHeader: bytesToHex(encodeHeader(l2GenesisHeader(first))),
  }
  const text = (content: unknown, indent = 2) => `${JSON.stringify(content, null, indent)}\n`
  return {
    files: new Map([
      [NETWORK_FILE, text(networkInputsToJson(inputs))],
      ['rollup.json', text(rollupConfigToJson(rollup))],
      ['genesis.json', text(genesisToJson({ ...built.head, accounts: built.accounts }), 0)],
      ['l1-chain.json', text(l1ChainConfigToJson(l1.chain))],
      ['addresses.json', text({ ...onL1, ...OWN_CONTRACTS })],
      [KEELSON_FILE, text(keelson)],
    ]),
    l2GenesisHash: l2GenesisHash(first),
  }
}
