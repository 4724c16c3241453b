import { type GenesisBlock, readGenesisBlock, readL1ChainConfig, readPublicNetwork, readRollupConfig } from '@keelson/devnet/network-files'
import { NodeError } from '@keelson/primitives'
import { computeGenesisState } from '@keelson/state'
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok, type Result, warn } from '../finding.ts'

export const networkCheck: DoctorCheck = {
  name: 'network',
  async run({ settings }) {
    const { network, allowSameChainId } = settings
    try {
      const rollup = readRollupConfig(network, { allowSameChainId })
      const l1Chain = readL1ChainConfig(network)
      const genesis = readGenesisBlock(network, rollup)
      if (l1Chain.chainId !== rollup.l1ChainId) {
        const why = `l1-chain.json is of chain ${l1Chain.chainId}, rollup.json expects L1 ${rollup.l1ChainId}`
        return fail(`the files in ${network} do not fit together`, why, 'take all of them from one source')
      }
      const found = ok(`L2 chain ${rollup.l2ChainId} on L1 ${rollup.l1ChainId}, genesis ${rollup.genesis.l2.hash}`)
      if (readPublicNetwork(network)?.state !== 'snapshot') return judgeAccounts(network, genesis) ?? found
      return settings.dataDirs.length > 0 ? found : [found, needsSnapshot(rollup.genesis.l2.number)]
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return fail(`the network in ${network} cannot be used`, error.message, 'correct the file, or name another folder with --network')
    }
  },
}

/** Compares the accounts of genesis.json with block 0's state root. Throws NodeError. */
function judgeAccounts(network: string, { header, accounts }: GenesisBlock): Result | null {
  const { stateRoot } = computeGenesisState(accounts)
  if (stateRoot === header.stateRoot) return null
  const why = `its accounts have the state root ${stateRoot}, block 0 has ${header.stateRoot}`
  return fail(`genesis.json in ${network} is of another network`, why, 'take all files from one source')
}

function needsSnapshot(firstBlock: number): Result {
  const why = 'an older chain made it, so no genesis file holds it, and a node without it does not start'
  return warn(
    `the state of the first block, ${firstBlock}, comes from a snapshot`,
    why,
    'import the snapshot of another Keelson node (keelson db import)',
  )
}
