import { createForkSchedule, createL1Schedule, forksAtGenesis, type Genesis, genesisHeader, l1ConfigAtGenesis } from '@keelson/chainspec'
import { encodeExtraData } from '@keelson/evm'
import { type ChainRules, type ExecutionChain, opChainRules } from '@keelson/execution'
import {
  encodeDeposit,
  type Header,
  hexToBytes,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  L2_TO_L1_MESSAGE_PASSER,
  l1InfoSourceHash,
  type PayloadAttributes,
  SEQUENCER_FEE_VAULT,
  TX_DEPOSIT,
  ZERO_HASH,
} from '@keelson/primitives'
import type { GenesisState } from '@keelson/state'

export interface BenchChain {
  readonly name: string
  readonly chainId: bigint
  readonly rules: ChainRules
  readonly genesisHeader: Header
  attributes(parent: Header, transactions: readonly Uint8Array[]): PayloadAttributes
}

export const BENCH_GAS_LIMIT = 30_000_000n
export const BENCH_BLOCK_TIME_SEC = 2
const GENESIS_TIME_SEC = 1_800_000_000

export function createBenchChain(
  kind: 'rollup' | 'l1',
  chainId: bigint,
  state: Pick<GenesisState, 'stateRoot' | 'storageRoot'>,
): BenchChain {
  const op = kind === 'rollup'
  const opRules = opChainRules(createForkSchedule({ times: forksAtGenesis('jovian') }))
  const rules = op ? opRules : l1Rules(chainId)
  // The L1 has the rollup's genesis block, so both share a stored state.
  const atGenesis = opRules.rulesAt({ number: 0, timestampSec: GENESIS_TIME_SEC })
  const genesis: Genesis = {
    chainConfig: null,
    accounts: [],
    number: 0,
    parentHash: ZERO_HASH,
    timestampSec: GENESIS_TIME_SEC,
    extraData: encodeExtraData(atGenesis, new Uint8Array(8), 0n),
    gasLimit: BENCH_GAS_LIMIT,
    gasUsed: 0n,
    difficulty: 0n,
    mixHash: ZERO_HASH,
    feeRecipient: SEQUENCER_FEE_VAULT,
    nonce: new Uint8Array(8),
    baseFeeWei: null,
    blobGasUsed: null,
    excessBlobGas: null,
  }
  return {
    name: op ? 'rollup rules (Jovian)' : 'L1 rules (Cancun)',
    chainId,
    rules,
    genesisHeader: genesisHeader(genesis, state.stateRoot, state.storageRoot(L2_TO_L1_MESSAGE_PASSER), atGenesis),
    attributes: (parent, transactions) => ({
      timestampSec: parent.timestampSec + BENCH_BLOCK_TIME_SEC,
      prevRandao: ZERO_HASH,
      feeRecipient: SEQUENCER_FEE_VAULT,
      withdrawals: [],
      parentBeaconBlockRoot: ZERO_HASH,
      transactions: op ? [l1InfoDeposit(parent.number + 1), ...transactions] : transactions,
      noTxPool: true,
      gasLimit: BENCH_GAS_LIMIT,
      eip1559Params: op ? new Uint8Array(8) : null,
      minBaseFeeWei: op ? 0n : null,
    }),
  }
}

export function executionChain({ chainId, rules, genesisHeader: header }: BenchChain): ExecutionChain {
  return { chainId, rules, genesis: { header, alloc: [] } }
}

/** The last L1 fork before request contracts. */
function l1Rules(chainId: bigint): ChainRules {
  const schedule = createL1Schedule(l1ConfigAtGenesis(chainId, 'cancun'))
  return { rulesAt: ({ number, timestampSec }) => schedule.blockRules(number, timestampSec), transitionAt: () => null }
}

function l1InfoDeposit(number: number): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: l1InfoSourceHash(ZERO_HASH, number),
    from: hexToBytes(L1_INFO_DEPOSITOR),
    to: hexToBytes(L1_BLOCK),
    mintWei: 0n,
    valueWei: 0n,
    gasLimit: 1_000_000n,
    isSystemTx: false,
    data: new Uint8Array(0),
  }).raw
}
