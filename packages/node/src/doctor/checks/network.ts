/** Checks that the network's files can be read and belong together. */
import { NodeError } from '@keelson/primitives'
import { readGenesisBlock, readL1ChainConfig, readRollupConfig } from '../../network.ts'
import type { DoctorCheck } from '../doctor-context.ts'
import { fail, ok } from '../finding.ts'

export const networkCheck: DoctorCheck = {
  name: 'network',
  async run({ settings }) {
    const { network, allowSameChainId } = settings
    try {
      const rollup = readRollupConfig(network, { allowSameChainId })
      const l1Chain = readL1ChainConfig(network)
      readGenesisBlock(network, rollup)
      if (l1Chain.chainId !== rollup.l1ChainId) {
        const why = `l1-chain.json is of chain ${l1Chain.chainId}, rollup.json expects L1 ${rollup.l1ChainId}`
        return fail(`the files in ${network} do not fit together`, why, 'take all of them from one source')
      }
      return ok(`L2 chain ${rollup.l2ChainId} on L1 ${rollup.l1ChainId}, genesis ${rollup.genesis.l2.hash}`)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return fail(`the network in ${network} cannot be used`, error.message, 'correct the file, or name another folder with --network')
    }
  },
}
