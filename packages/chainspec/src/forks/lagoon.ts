/**
 * Post-execution transactions (0x7d) and a bundle of upgrade transactions. specs: protocol/lagoon/. A chain that shares a dependency
 * set with others gets two deposits more, one before the bundle, which makes its contracts those for cross-chain messages, and one
 * after it: op-node/rollup/derive/lagoon_activation_transactions.go in ethereum-optimism/optimism.
 *
 * `lagoon_nut_bundle.json` is an exact copy of op-core/nuts/bundles/ at commit 4fc25a93 there (MIT); fork_lock.toml at that commit
 * states its sha256.
 */
import { encodeDeposit, hexToBytes, L1_BLOCK, L1_INFO_DEPOSITOR, TX_DEPOSIT, toAddress, upgradeSourceHash } from '@keelson/primitives'
import type { DependencySetDeposits, ForkDefinition, UpgradeBundle } from '../rules.ts'
import { loadUpgradeBundle } from '../upgrade-bundle.ts'
import document from './upgrade-transactions/lagoon_nut_bundle.json' with { type: 'json' }

const ETH_LIQUIDITY = toAddress('0x4200000000000000000000000000000000000025')
/** `setFeature(bytes32)` with the feature "INTEROP". */
const SET_FEATURE_DATA = '0x46a4d780494e5445524f5000000000000000000000000000000000000000000000000000'
/** `fund()` */
const FUND_DATA = '0xb60d4288'
const FUNDED_WEI = 2n ** 128n - 1n

/** Decoded on first use. */
let bundle: UpgradeBundle | null = null
let deposits: DependencySetDeposits | null = null

export const lagoon: ForkDefinition = {
  name: 'lagoon',
  block: { postExecTransactions: true },
  userTransactionsInActivationBlock: false,
  upgradeBundle() {
    bundle ??= loadUpgradeBundle('lagoon', document)
    return bundle
  },
  dependencySetDeposits() {
    deposits ??= {
      before: [activationDeposit('Interop pre: setFeature(INTEROP)', L1_BLOCK, SET_FEATURE_DATA, 100_000n, 0n)],
      after: [activationDeposit('Interop post: ETHLiquidity Funding', ETH_LIQUIDITY, FUND_DATA, 50_000n, FUNDED_WEI)],
      gas: 150_000n,
    }
    return deposits
  },
  unconfirmedBundle:
    'the shipped upgrade transactions are those of optimism commit 4fc25a93, and a later test there expects another L2ToL2CrossDomainMessenger',
}

function activationDeposit(intent: string, to: string, data: string, gasLimit: bigint, valueWei: bigint): Uint8Array {
  return encodeDeposit({
    type: TX_DEPOSIT,
    sourceHash: upgradeSourceHash(intent),
    from: hexToBytes(L1_INFO_DEPOSITOR),
    to: hexToBytes(to),
    mintWei: valueWei,
    valueWei,
    gasLimit,
    isSystemTx: false,
    data: hexToBytes(data),
  }).raw
}
