/**
 * Base's first fork of its own, in place of Karst: Osaka's EVM without upgrade transactions.
 * https://docs.base.org/base-chain/specs/upgrades/azul/exec-engine Precompile input limits stay Jovian's (base/base
 * crates/common/precompiles/src/provider.rs). The activation block may hold user transactions (base/base 98a8db8d
 * crates/consensus/protocol/src/batch/single.rs).
 */
import type { ForkDefinition } from '../rules.ts'

export const azul: ForkDefinition = {
  name: 'azul',
  configGroup: 'base',
  block: {
    ethFork: 'osaka',
    // EIP-7825: 2^24. Deposits are exempt.
    maxTransactionGas: 16_777_216n,
    // EIP-7951; 3,450 since Fjord.
    p256VerifyGas: 6900n,
    missingBlobSchedule: 'zeroes',
  },
}
