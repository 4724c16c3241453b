/** The first fork of every OP chain. specs: protocol/derivation.md, protocol/exec-engine.md */
import type { BlockRules, ForkDefinition, InclusionRules, OriginRules } from '../rules.ts'

/** With `satisfies`, a missing parameter is a compile error. */
export const bedrock = {
  name: 'bedrock',
  inclusion: (chain) =>
    ({
      maxChannelBankBytes: 100_000_000,
      maxRlpBytesPerChannel: 10_000_000,
      channelTimeoutL1Blocks: chain.channelTimeoutL1Blocks,
      blobs: false,
      brotliChannels: false,
      readsFirstReadyChannel: false,
      strictOrdering: false,
      maxSpanBatchElements: 10_000_000,
      versionedFeeScalars: false,
    }) satisfies InclusionRules,
  origin: { spanBatches: false, maxSequencerDriftSec: null } satisfies OriginRules,
  block: (chain) =>
    ({
      chain: 'op',
      ethFork: 'paris',
      feeSink: 'vaults',
      l1Cost: 'calldata-and-signature',
      l1InfoFormat: 'bedrock',
      operatorFee: null,
      depositGasMetered: false,
      depositReceiptNonce: false,
      depositReceiptVersion: false,
      eip1559Source: 'constants',
      baseFeeConstants: chain.baseFee,
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
      blockRewardWei: 0n,
      receiptOutcome: 'status',
      clearsEmptyAccounts: true,
      maxTransactionGas: null,
      p256VerifyGas: null,
      precompileInputLimits: { bn256Pairing: null, blsG1Msm: null, blsG2Msm: null, blsPairing: null },
      missingBlobSchedule: 'null',
    }) satisfies BlockRules,
} as const satisfies ForkDefinition
