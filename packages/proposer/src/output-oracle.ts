/** Reads the L2OutputOracle. specs: protocol/proposals.md#l2-output-oracle-smart-contract */
import { decodeAddress, decodeBlockNumber, OUTPUT_ORACLE_CALLS } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import { ProposerError } from './errors.ts'
import type { L1Caller } from './ports.ts'

export interface OutputOracle {
  nextBlockNumber(): Promise<number>
  proposer(): Promise<Address>
}

const WORD_BYTES = 32

/** Methods throw ProposerError `proposer/oracle` and the errors of L1. */
export function createOutputOracle(l1: L1Caller, oracle: Address): OutputOracle {
  const word = async (what: string, data: Uint8Array): Promise<Uint8Array> => {
    const answer = await l1.call(oracle, data)
    if (answer.length === WORD_BYTES) return answer
    throw new ProposerError(
      'proposer/oracle',
      `no L2OutputOracle at ${oracle}: ${what}() returned ${answer.length} bytes, expected ${WORD_BYTES}`,
      { oracle },
    )
  }
  return {
    nextBlockNumber: async () => decodeBlockNumber(await word('nextBlockNumber', OUTPUT_ORACLE_CALLS.nextBlockNumber)),
    proposer: async () => decodeAddress(await word('proposer', OUTPUT_ORACLE_CALLS.proposer)),
  }
}
