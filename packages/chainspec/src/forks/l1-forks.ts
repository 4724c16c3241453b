/**
 * Block rules of each L1 fork, so that plain Ethereum blocks run on the same code. Yellow paper; EIP-606, 607, 608, 609, 1013,
 * 1716, 1679, 2070, 1559, 3675, 4895, 7569, 7600, 7607, 7773.
 */
import type { BlockRules, EthFork } from '../rules.ts'

const ETHER = 10n ** 18n

const FRONTIER: BlockRules = {
  chain: 'l1',
  ethFork: 'frontier',
  feeSink: 'miner',
  l1Cost: null,
  l1InfoFormat: 'bedrock',
  operatorFee: null,
  depositGasMetered: false,
  depositReceiptNonce: false,
  depositReceiptVersion: false,
  eip1559Source: 'constants',
  baseFeeConstants: { elasticity: 2n, denominator: 8n },
  extraDataVersion: null,
  minBaseFee: false,
  daFootprint: false,
  blobTransactions: false,
  blobFields: false,
  blobParameters: null,
  parentBeaconRoot: false,
  historyContract: false,
  setCodeTransactions: false,
  postExecTransactions: false,
  requests: 'absent',
  blockAccessList: false,
  withdrawals: 'absent',
  blockRewardWei: 5n * ETHER,
  receiptOutcome: 'root',
  clearsEmptyAccounts: false,
  maxTransactionGas: null,
  p256VerifyGas: null,
  precompileInputLimits: { bn256Pairing: null, blsG1Msm: null, blsG2Msm: null, blsPairing: null },
  missingBlobSchedule: 'null',
}

const CHANGES: readonly (readonly [EthFork, Partial<BlockRules>])[] = [
  ['homestead', {}],
  ['tangerine', {}],
  ['spurious', { clearsEmptyAccounts: true }],
  ['byzantium', { blockRewardWei: 3n * ETHER, receiptOutcome: 'status' }],
  ['constantinople', { blockRewardWei: 2n * ETHER }],
  ['petersburg', {}],
  ['istanbul', {}],
  ['berlin', {}],
  ['london', { feeSink: 'burn' }],
  ['paris', { blockRewardWei: 0n }],
  ['shanghai', { withdrawals: 'list' }],
  ['cancun', { blobTransactions: true, blobFields: true, parentBeaconRoot: true }],
  ['prague', { requests: 'list', setCodeTransactions: true, historyContract: true }],
  ['osaka', { maxTransactionGas: 16_777_216n, p256VerifyGas: 6900n }],
  ['amsterdam', { blockAccessList: true, maxTransactionGas: null }],
]

/** Excludes blob parameters, which depend on the chain. */
export const L1_FORK_RULES: ReadonlyMap<EthFork, BlockRules> = foldRules()

function foldRules(): Map<EthFork, BlockRules> {
  let rules = FRONTIER
  const all = new Map<EthFork, BlockRules>([['frontier', Object.freeze(rules)]])
  for (const [ethFork, changes] of CHANGES) {
    rules = Object.freeze({ ...rules, ...changes, ethFork })
    all.set(ethFork, rules)
  }
  return all
}
