/**
 * Base's first fork of its own, after Jovian and in place of Karst: Osaka's EVM without upgrade transactions and without a new
 * contract. https://docs.base.org/base-chain/specs/upgrades/azul/exec-engine
 *
 * `ethFork` brings EIP-7823 and EIP-7883 (MODEXP), EIP-7939 (CLZ), and `engine_getPayloadV5` beside `engine_newPayloadV4`.
 * The limits on precompile inputs stay Jovian's: base/base crates/common/precompiles/src/provider.rs, `azul()` changes
 * MODEXP and P256VERIFY alone. User transactions are allowed in the activation block: the page does not forbid them, and
 * base/base 98a8db8d crates/consensus/protocol/src/batch/single.rs drops such batches for Jovian's first block only.
 */
import type { ForkDefinition } from '../rules.ts'

export const azul: ForkDefinition = {
  name: 'azul',
  configGroup: 'base',
  block: {
    ethFork: 'osaka',
    // EIP-7825: 2^24. Deposits are exempt.
    maxTransactionGas: 16_777_216n,
    // EIP-7951; it was 3,450 from Fjord on.
    p256VerifyGas: 6900n,
    // The page's section on eth_config.
    missingBlobSchedule: 'zeroes',
  },
}
